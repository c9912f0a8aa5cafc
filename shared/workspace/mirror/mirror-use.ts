/**
 * Which processes use a mirror, and when it was last used. Each use is a file in a folder beside the mirror. A mirror in use
 * is never removed: a use begins, and a removal checks for uses, under the mirror's lock.
 */
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

export type MirrorUse = { readonly end: () => Promise<void> };

const REFRESH_MS = 60_000;
/** Longer than any job. A use of another machine counts as ended when its file was not refreshed for this long. */
const STALE_MS = 24 * 3_600_000;
const PREFIX = 'by-';

/** A container that starts again often gets the process id of its predecessor. */
const INSTANCE = crypto.randomUUID();

export const useFolderOf = (base: string): string => `${base}.use`;

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** Returns the fallback if the file or folder does not exist. */
export const ifThere = async <T>(reading: Promise<T>, fallback: T): Promise<T> => {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return fallback;
    throw error;
  }
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
};

const isDead = (owner: string): boolean => {
  const [host, pid, instance] = owner.split(' ');
  if (host !== hostname() || pid === undefined || !/^\d+$/.test(pid)) return false;
  return Number(pid) === process.pid ? instance !== INSTANCE : !isRunning(Number(pid));
};

const isAlive = async (mark: string, nowMs: number): Promise<boolean> => {
  const [since, owner] = await Promise.all([
    ifThere(
      stat(mark).then(({ mtimeMs }) => mtimeMs),
      null,
    ),
    ifThere(readFile(mark, 'utf8'), ''),
  ]);
  return since !== null && nowMs - since < STALE_MS && !isDead(owner);
};

const marksOf = async (base: string): Promise<readonly string[]> => {
  const folder = useFolderOf(base);
  const names = await ifThere(readdir(folder), []);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));
};

export const isInUse = async (base: string, nowMs: number): Promise<boolean> => {
  for (const mark of await marksOf(base)) if (await isAlive(mark, nowMs)) return true;
  return false;
};

const removeDeadMarks = async (base: string): Promise<void> => {
  for (const mark of await marksOf(base)) if (!(await isAlive(mark, Date.now()))) await rm(mark, { force: true });
};

/** Contract: called under the mirror's lock; the caller ends the use. */
export const beginUse = async (base: string): Promise<MirrorUse> => {
  await mkdir(useFolderOf(base), { recursive: true, mode: 0o700 });
  await removeDeadMarks(base);
  const mark = join(useFolderOf(base), `${PREFIX}${crypto.randomUUID()}`);
  try {
    await writeFile(mark, `${hostname()} ${process.pid} ${INSTANCE}`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    await rm(mark, { force: true });
    throw error;
  }
  const refresh = setInterval(() => {
    const now = new Date();
    // A missing file means that the use has ended.
    utimes(mark, now, now).catch(() => undefined);
  }, REFRESH_MS);
  refresh.unref();
  return {
    end: async () => {
      clearInterval(refresh);
      await rm(mark, { force: true });
    },
  };
};
