/**
 * Packs a mirror and drops what change requests left in it that are not reviewed any more. Holds the lock of the mirror, and
 * ends at once when a job waits for it.
 */
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGit, type Git } from '../git/git.ts';
import { LockTimeoutError, lockIsWanted, withFileLock } from '../process/file-lock.ts';
import { withTimeLimit } from '../../time-limit.ts';
import { refsOf } from './fetch-head.ts';
import { removeLocks } from './mirror-folder.ts';
import { currentMirror } from './mirror-generation.ts';
import { ifThere } from './mirror-use.ts';

/** Beside the objects, so that both go with the mirror. */
const CARED = 'fixpoint-cared';
const REVIEWED = 'fixpoint-reviewed';

export type CareWish = {
  readonly base: string;
  readonly gitPath: string;
  /** The refs of a change request that was not fetched for so long are deleted. */
  readonly idleMs: number;
  /** Epoch ms of this machine, because it is compared with the times of files. */
  readonly nowMs: number;
};

/** `packs` and `refs`: how many there were, and how many are left. */
export type Cared = { readonly packs: readonly [number, number]; readonly refs: readonly [number, number] };

/** `not_due`: also if the mirror is gone, or another process has its lock. `yielded`: a job waited; the rest is done later. */
export type CareResult =
  | { readonly kind: 'not_due' }
  | { readonly kind: 'yielded' }
  | ({ readonly kind: 'cared' } & Cared);

export const CARE_EVERY_MS = 24 * 3_600_000;
/** After a job waited, or an error. */
const AGAIN_MS = 3_600_000;
const CARE_LIMIT_MS = 10 * 60_000;
const LOCK = { waitMs: 0, staleMs: 60_000 };
const LOOK_MS = 100;

const mtimeOf = async (path: string): Promise<number | null> =>
  ifThere(
    stat(path).then(({ mtimeMs }) => mtimeMs),
    null,
  );

const touch = async (path: string, ms: number): Promise<void> => {
  const at = new Date(ms);
  const isThere = await ifThere(
    utimes(path, at, at).then(() => true),
    false,
  );
  if (isThere) return;
  await writeFile(path, '', { mode: 0o600 });
  await utimes(path, at, at);
};

/** Contract: called under the mirror's lock, for each fetch of the head of a change request. */
export const noteReviewed = async (gitDir: string, number: string, nowMs: number): Promise<void> => {
  await mkdir(join(gitDir, REVIEWED), { recursive: true, mode: 0o700 });
  await touch(join(gitDir, REVIEWED, number), nowMs);
};

const refNames = async (git: Git, under: string, signal: AbortSignal): Promise<readonly string[]> => {
  const { stdout } = await git.run(['for-each-ref', '--format=%(refname)', under], {}, signal);
  return stdout.toString('utf8').split('\n').filter(Boolean);
};

type Caring = { readonly git: Git; readonly gitDir: string; readonly wish: CareWish; readonly signal: AbortSignal };

/** A change request without a time, from an earlier version, counts from now. */
const isIdle = async ({ gitDir, wish: { idleMs, nowMs } }: Caring, number: string): Promise<boolean> => {
  const since = await mtimeOf(join(gitDir, REVIEWED, number));
  if (since === null) await noteReviewed(gitDir, number, nowMs);
  return since !== null && nowMs - since >= idleMs;
};

/** Returns how many refs it deleted. */
const forgetIdle = async (caring: Caring, refs: readonly string[]): Promise<number> => {
  const { git, gitDir, signal } = caring;
  const numbers = new Set(
    refs.map((ref) => /^refs\/fixpoint\/(\d+)\//.exec(ref)?.[1]).filter((each) => each !== undefined),
  );
  const gone: string[] = [];
  for (const number of numbers) {
    signal.throwIfAborted();
    if (!(await isIdle(caring, number))) continue;
    gone.push(...refs.filter((ref) => ref.startsWith(`${refsOf(number)}/`)));
    await rm(join(gitDir, REVIEWED, number), { force: true });
  }
  const input = gone.map((ref) => `delete ${ref}\n`).join('');
  if (input !== '') await git.run(['update-ref', '--stdin'], { input: Buffer.from(input) }, signal);
  return gone.length;
};

const countPacks = async (gitDir: string): Promise<number> =>
  (await ifThere(readdir(join(gitDir, 'objects', 'pack')), [])).filter((name) => name.endsWith('.pack')).length;

/** One thread, so that a review beside it keeps the other cores. */
const GENTLE = ['-c', 'pack.threads=1', '-c', 'gc.autoDetach=false'];

/**
 * Packs are joined as far as their sizes are similar, which costs no more than what was fetched since. Only after refs were
 * deleted, all objects are packed again, without those that nothing has needed for a day.
 */
const pack = async ({ git, signal }: Caring, forgot: number): Promise<void> => {
  const options = { timeoutMs: CARE_LIMIT_MS };
  await git.run([...GENTLE, 'pack-refs', '--all', '--prune'], options, signal);
  const command = forgot > 0 ? ['gc', '--quiet', '--prune=1.day.ago'] : ['repack', '--geometric=2', '-d', '-q'];
  await git.run([...GENTLE, ...command], options, signal);
};

const careNow = async (caring: Caring): Promise<CareResult> => {
  const { git, gitDir, signal } = caring;
  await removeLocks(gitDir);
  const [packs, refs] = [await countPacks(gitDir), await refNames(git, 'refs/fixpoint', signal)];
  const forgot = await forgetIdle(caring, refs);
  await pack(caring, forgot);
  return { kind: 'cared', packs: [packs, await countPacks(gitDir)], refs: [refs.length, refs.length - forgot] };
};

/** Aborts when somebody else waits for the lock. */
const whileUnwanted = async <T>(
  lock: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'yielded'> => {
  const wanted = new AbortController();
  const isWanted = await lockIsWanted(lock);
  const look = setInterval(() => {
    isWanted().then(
      (yes) => yes && wanted.abort(new Error('a job waits for the mirror')),
      () => undefined,
    );
  }, LOOK_MS);
  try {
    return await work(AbortSignal.any([signal, wanted.signal]));
  } catch (error) {
    if (wanted.signal.aborted && !signal.aborted) return 'yielded';
    throw error;
  } finally {
    clearInterval(look);
  }
};

const careUnderLock = async (wish: CareWish, gitDir: string, signal: AbortSignal): Promise<CareResult> => {
  const { base, gitPath, nowMs } = wish;
  const stamp = join(gitDir, CARED);
  if ((await mtimeOf(gitDir)) === null) return { kind: 'not_due' };
  // Another process may have done it in the meantime.
  if (!(await isDue(stamp, nowMs))) return { kind: 'not_due' };
  await touch(stamp, nowMs - CARE_EVERY_MS + AGAIN_MS);
  const git = createGit({ gitPath, gitDir, allowProtocols: [] });
  const result = await whileUnwanted(`${base}.lock`, signal, async (limited) =>
    careNow({ git, gitDir, wish, signal: limited }),
  );
  if (result === 'yielded') return { kind: 'yielded' };
  await touch(stamp, nowMs);
  return result;
};

/** A mirror without a time is new, or from an earlier version: its day begins now. */
const isDue = async (stamp: string, nowMs: number): Promise<boolean> => {
  const caredAtMs = await mtimeOf(stamp);
  if (caredAtMs === null) await touch(stamp, nowMs);
  return caredAtMs !== null && nowMs - caredAtMs >= CARE_EVERY_MS;
};

/** Cares for a mirror at most once a day. Contract: `base` is the path of a mirror that is not used by the caller. */
export const careForMirror = async (wish: CareWish, signal: AbortSignal): Promise<CareResult> => {
  const gitDir = await currentMirror(wish.base);
  if ((await mtimeOf(gitDir)) === null || !(await isDue(join(gitDir, CARED), wish.nowMs))) return { kind: 'not_due' };
  try {
    return await withTimeLimit({ ms: CARE_LIMIT_MS, signal }, async (limited) =>
      withFileLock(`${wish.base}.lock`, LOCK, async () => careUnderLock(wish, gitDir, limited), limited),
    );
  } catch (error) {
    if (error instanceof LockTimeoutError) return { kind: 'not_due' };
    throw error;
  }
};
