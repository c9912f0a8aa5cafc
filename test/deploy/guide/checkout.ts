/** A fresh clone of the project beside an empty home, in which blocks of the guide are run as a reader runs them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../../support/built.ts';

export type Checkout = {
  readonly folder: string;
  /** What the shell of a reader has: programs, an empty home, npm's global folder below it; no network for npm. */
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => void;
};

/** Packages are linked from this checkout, which is what `npm ci` would install: the lock file is the same. */
const linkPackages = (folder: string): void => {
  const from = realpathSync(path.join(ROOT, 'node_modules'));
  const to = path.join(folder, 'node_modules');
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'ignore' });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-R', from, to]);
  }
  // The builds of other tests.
  rmSync(path.join(to, '.cache'), { recursive: true, force: true });
  // npm writes this one in place, which a link would pass on.
  const installed = path.join(to, '.package-lock.json');
  rmSync(installed, { force: true });
  cpSync(path.join(from, '.package-lock.json'), installed);
};

/** Contract: the caller calls `remove`. The clone holds what is committed, with its documents. */
export const cloneProject = (): Checkout => {
  const top = mkdtempSync(path.join(tmpdir(), 'fixpoint-guide-'));
  const folder = path.join(top, 'fixpoint');
  const home = path.join(top, 'home');
  mkdirSync(home);
  execFileSync('git', ['clone', '--quiet', ROOT, folder]);
  linkPackages(folder);
  const global = path.join(home, 'global');
  mkdirSync(path.join(global, 'lib'), { recursive: true });
  const env = {
    PATH: `${path.join(global, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: top,
    npm_config_prefix: global,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  return { folder, env, remove: () => rmSync(top, { recursive: true, force: true, maxRetries: 3 }) };
};
