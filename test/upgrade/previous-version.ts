/** The version with which the present one must work side by side, built in a worktree. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { ROOT } from '../support/built.ts';

/**
 * `npm run test:upgrade` sets it: a commit of this repository, or the folder of a build (`dist`) of another version.
 * Without it, the tests of this folder that need the other version are skipped.
 */
export const UPGRADE_FROM = process.env['FIXPOINT_UPGRADE_FROM'] ?? '';

export type PreviousVersion = {
  /** The folder with `services/<name>/main.js`. */
  readonly dist: string;
  readonly remove: () => void;
};

const INSTALL_MS = 600_000;

const Packages = z.object({ dependencies: z.record(z.string(), z.string()), version: z.string().optional() });

/** @throws Error with the output of the command if it fails. */
const run = (command: string, args: readonly string[], cwd: string): void => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: INSTALL_MS });
  if (status === 0) return;
  throw new Error(`"${command} ${args.join(' ')}" failed in ${cwd}:\n${stdout}${stderr}`, { cause: error });
};

const installedVersion = (name: string): string | undefined => {
  const file = path.join(ROOT, 'node_modules', name, 'package.json');
  return existsSync(file)
    ? z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version
    : undefined;
};

/** True if each package that the other version needs is installed here in the same version. */
const sharesPackages = (folder: string): boolean => {
  const { dependencies } = Packages.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
  return Object.entries(dependencies).every(([name, version]) => installedVersion(name) === version);
};

const givePackages = (folder: string): void => {
  if (sharesPackages(folder)) symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  else run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder);
};

const buildCommit = (commit: string): PreviousVersion => {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'fixpoint-previous-')), 'checkout');
  const remove = (): void => {
    rmSync(path.dirname(folder), { recursive: true, force: true, maxRetries: 3 });
    run('git', ['worktree', 'prune'], ROOT);
  };
  try {
    run('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], ROOT);
    givePackages(folder);
    run(process.execPath, ['deploy/build.mjs'], folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { dist: path.join(folder, 'dist'), remove };
};

/** Contract: the caller removes it, also when a test fails. */
export const buildPrevious = (): PreviousVersion =>
  path.isAbsolute(UPGRADE_FROM) ? { dist: UPGRADE_FROM, remove: () => {} } : buildCommit(UPGRADE_FROM);
