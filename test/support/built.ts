/** Builds the services and copies the build, for tests that run compiled programs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFileLock } from '../../shared/workspace/process/file-lock.ts';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Inside the project, so that packages resolve. */
const CACHE = path.join(ROOT, 'node_modules', '.cache');
const BUILD_MS = 180_000;

/** Longer than any test run: a copy this old is not in use. */
const UNUSED_MS = 6 * 3600 * 1000;

/**
 * Builds `dist/` when it is older than the sources, and returns a folder with a copy that holds `services/<name>/main.js`.
 * The copy protects running tests from a later build. Each build is copied once; old copies are removed.
 */
export const copyBuilt = async (): Promise<string> => {
  await mkdir(CACHE, { recursive: true });
  const lock = path.join(CACHE, 'fixpoint-build.lock');
  const signal = AbortSignal.timeout(BUILD_MS);
  return withFileLock(lock, { waitMs: BUILD_MS, staleMs: 60_000 }, buildAndCopy, signal);
};

const buildAndCopy = async (): Promise<string> => {
  await build();
  const dist = path.join(ROOT, 'dist');
  const { mtimeMs } = await stat(path.join(dist, '.built'));
  const folder = path.join(CACHE, `fixpoint-built-${Math.round(mtimeMs)}`);
  if (!(await touch(folder))) {
    await removeUnused();
    const making = await mkdtemp(path.join(CACHE, 'fixpoint-built-'));
    await cp(dist, making, { recursive: true });
    await rename(making, folder);
  }
  return folder;
};

/** Updates the folder's times. False when the folder does not exist. */
const touch = async (folder: string): Promise<boolean> => {
  const now = new Date();
  return utimes(folder, now, now).then(
    () => true,
    () => false,
  );
};

const removeUnused = async (): Promise<void> => {
  const copies = (await readdir(CACHE)).filter((name) => name.startsWith('fixpoint-built-'));
  for (const copy of copies.map((name) => path.join(CACHE, name))) {
    if (Date.now() - (await stat(copy)).mtimeMs > UNUSED_MS) await rm(copy, { recursive: true, force: true });
  }
};

export const builtScript = async (script: string): Promise<string> => {
  ofThisProcess ??= copyBuilt();
  const folder = await ofThisProcess;
  await touch(folder);
  return path.join(folder, script);
};

let ofThisProcess: Promise<string> | null = null;

const build = async (): Promise<void> => {
  const child = spawn(process.execPath, ['deploy/prepare.mjs', '--build'], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the build ended with ${String(code)}`);
};
