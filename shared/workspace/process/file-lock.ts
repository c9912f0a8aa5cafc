import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

export class LockTimeoutError extends AppError {}

export type FileLockSettings = {
  /** How long to wait for the lock before giving up. */
  readonly waitMs: number;
  /** A lock that was not refreshed for this long, as its waiter sees it, belongs to nobody. */
  readonly staleMs: number;
};

const POLL_MS = 50;

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** True when the lock is ours now. */
const take = async (path: string, owner: string): Promise<boolean> => {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(owner);
    await file.close();
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
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

/**
 * What the lock looked like when this waiter first saw it so; null when it is gone. Time is what passes while it waits:
 * the clock that stamps files may be set, or be another machine's.
 */
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
 * Moves the lock of a dead owner away. Whoever moved one that turns out to be another's puts it back (as a link, which
 * never overwrites): so two that recover at once cannot remove each other's fresh lock unnoticed.
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

const acquire = async (path: string, owner: string, settings: FileLockSettings, signal: AbortSignal): Promise<void> => {
  const deadline = performance.now() + settings.waitMs;
  let watched: Watched | null = null;
  while (!(await take(path, owner))) {
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
 * Runs `work` while this process holds the lock file, refreshed while it is held. It keeps processes of one machine or
 * one shared folder out of each other's way; whoever relies on it must stay correct when a lock is lost, as git does.
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
      // A lock that is gone cannot be refreshed; releasing it below notices too.
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
