/** A project of a reader that has installed the package which `npm pack` makes of a clone. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Checkout } from './checkout.ts';

export type Unpacked = { readonly project: string; readonly tarball: string; readonly prelude: string };

/** Instead of a registry: the package is unpacked, and beside it are the packages of the clone. */
export const installPacked = ({ folder, env }: Checkout): Unpacked => {
  const top = path.join(folder, '..', 'packed');
  const project = path.join(top, 'project');
  const packages = path.join(project, 'node_modules');
  const own = path.join(packages, 'fixpoint');
  for (const made of [own, path.join(packages, '.bin')]) mkdirSync(made, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', top], {
    cwd: folder,
    env: { ...env },
    encoding: 'utf8',
  });
  const tarball = path.join(top, packed.trim());
  execFileSync('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  const from = path.join(folder, 'node_modules');
  for (const name of readdirSync(from).filter((entry) => !entry.startsWith('.'))) {
    symlinkSync(path.join(from, name), path.join(packages, name));
  }
  const program = path.join(own, 'dist/services/cli/main.js');
  chmodSync(program, 0o755);
  symlinkSync(program, path.join(packages, '.bin', 'fixpoint'));
  writeFileSync(path.join(project, 'package.json'), '{}\n');
  // What npm would do is done; the block must name the package.
  const prelude = `npm() { test "$*" = "install ${tarball}"; }\nPATH="${path.join(packages, '.bin')}:$PATH"`;
  return { project, tarball, prelude };
};
