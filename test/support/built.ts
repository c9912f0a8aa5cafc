/** The compiled services, as an operator runs them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFileLock } from '../../shared/workspace/file-lock.ts';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

const CACHE = path.join(ROOT, 'node_modules', '.cache');
const BUILD_MS = 180_000;

export type Built = {
  /** Below it lies `services/<name>/main.js`. */
  readonly folder: string;
  readonly remove: () => Promise<void>;
};

/**
 * Builds `dist/` when it is older than the sources and returns a copy of it: a build that somebody else starts meanwhile
 * must not pull the code away from under processes that are still to be started. The copy stays inside the project,
 * where its packages are found.
 */
export const copyBuilt = async (): Promise<Built> => {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, 'fixpoint-built-'));
  const lock = path.join(CACHE, 'fixpoint-build.lock');
  const work = async (): Promise<void> => {
    await build();
    await cp(path.join(ROOT, 'dist'), folder, { recursive: true });
  };
  const remove = async (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await withFileLock(lock, { waitMs: BUILD_MS, staleMs: 60_000 }, work, AbortSignal.timeout(BUILD_MS));
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
};

let ofThisProcess: Promise<string> | null = null;

/** Absolute path of a compiled script, such as `services/cli/main.js`, in one copy for all tests of this process. */
export const builtScript = async (script: string): Promise<string> => {
  ofThisProcess ??= copyBuilt().then(({ folder }) => {
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  });
  return path.join(await ofThisProcess, script);
};

const build = async (): Promise<void> => {
  const child = spawn(process.execPath, ['deploy/prepare.mjs', '--build'], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the build ended with ${String(code)}`);
};
