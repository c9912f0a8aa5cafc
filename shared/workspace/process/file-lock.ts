import { type FileHandle, link, open, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

export class LockTimeoutError extends AppError {}

export type FileLockSettings = {
  readonly waitMs: number;
  /** A waiter treats the lock as abandoned when it has seen no refresh for this long. */
  readonly staleMs: number;
  /** While such a waiter waits, `lockIsWanted` says so, and a holder that only tidies ends. */
  readonly isUrgent?: boolean;
};

const POLL_MS = 50;

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const take = async (path: string, owner: string): Promise<boolean> => {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'wx', 0o600);
    await file.writeFile(owner);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    // On a full disk, the empty file would be the lock of nobody.
    if (file !== null) await rm(path, { force: true });
    throw error;
  } finally {
    await file?.close();
  }
};

const readOwner = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
};

const isDead = (owner: string): boolean => {
  const [host, pid] = owner.split(' ');
  if (host !== hostname() || pid === undefined || !/^\d+$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return isCode(error, 'ESRCH');
  }
};

type Watched = { readonly owner: string; readonly mtimeMs: number; readonly sinceMs: number };

/** Returns since when the lock is unchanged, by the monotonic clock because file times can be wrong. Null if the lock is gone. */
const watch = async (path: string, owner: string, before: Watched | null): Promise<Watched | null> => {
  try {
    const { mtimeMs } = await stat(path);
    const same = before?.owner === owner && before.mtimeMs === mtimeMs;
    return same ? before : { owner, mtimeMs, sinceMs: performance.now() };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
};

const isStale = (watched: Watched | null, staleMs: number): watched is Watched =>
  watched !== null && (isDead(watched.owner) || performance.now() - watched.sinceMs >= staleMs);

/**
 * Moves an abandoned lock aside. If the moved file belongs to another owner, it is put back with a link, because a link
 * never overwrites a file. So two waiters that recover at the same time cannot remove each other's new lock unnoticed.
 */
const removeStale = async (path: string, owner: string): Promise<void> => {
  const aside = `${path}.${crypto.randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await readOwner(aside)) !== owner) await link(aside, path);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
};

const wantedFile = (path: string): string => `${path}.wanted`;

const mtimeOf = async (path: string): Promise<number | null> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );

/** The answer is true once somebody has begun to wait, or waited on, since this call. What a killed process left counts as nobody. */
export const lockIsWanted = async (path: string): Promise<() => Promise<boolean>> => {
  const before = await mtimeOf(wantedFile(path));
  return async () => {
    const now = await mtimeOf(wantedFile(path));
    return now !== null && now !== before;
  };
};

const acquire = async (path: string, owner: string, settings: FileLockSettings, signal: AbortSignal): Promise<void> => {
  let hasWaited = false;
  try {
    await acquireWith(path, owner, settings, {
      signal,
      // On a full disk nobody is told, and the waiter waits for longer.
      onWait: async () => {
        hasWaited = true;
        if (settings.isUrgent === true)
          await writeFile(wantedFile(path), owner, { mode: 0o600 }).catch(() => undefined);
      },
    });
  } finally {
    if (hasWaited && settings.isUrgent === true) await rm(wantedFile(path), { force: true });
  }
};

type Waiting = { readonly signal: AbortSignal; readonly onWait: () => Promise<void> };

const acquireWith = async (
  path: string,
  owner: string,
  settings: FileLockSettings,
  { signal, onWait }: Waiting,
): Promise<void> => {
  const deadline = performance.now() + settings.waitMs;
  let watched: Watched | null = null;
  while (!(await take(path, owner))) {
    await onWait();
    const holder = await readOwner(path);
    watched = holder === null ? null : await watch(path, holder, watched);
    if (isStale(watched, settings.staleMs)) await removeStale(path, watched.owner);
    else await delay(POLL_MS, undefined, { signal });
    if (performance.now() >= deadline) {
      throw new LockTimeoutError({
        code: 'LOCK_TIMEOUT',
        message: 'another process holds the lock',
        disposition: { kind: 'retry' },
      });
    }
  }
};

/**
 * Runs `work` while this process holds the lock file, and keeps refreshing the lock. The lock coordinates processes of one
 * machine or one shared folder. A lock can be lost, so `work` must stay correct without it, as git does.
 */
export const withFileLock = async <T>(
  path: string,
  settings: FileLockSettings,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const owner = `${hostname()} ${process.pid} ${crypto.randomUUID()}`;
  await acquire(path, owner, settings, signal);
  const refresh = setInterval(
    () => {
      const now = new Date();
      // If the lock is gone, the refresh fails; the check after `work` handles that case.
      utimes(path, now, now).catch(() => undefined);
    },
    Math.max(settings.staleMs / 4, 10),
  );
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    if ((await readOwner(path)) === owner) await rm(path, { force: true });
  }
};
