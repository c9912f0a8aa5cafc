/**
 * Allows one status update of a commit at a time: others retry for 10 seconds, then fail
 * (GL app/services/ci/create_commit_status_service.rb, `in_lock`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { conflict } from './errors.ts';
import type { World } from './world.ts';

/** `ttl`: when a lock that was not released expires. */
const ttlMs = 60_000;

/** `pipeline_lock_key`: uses the SHA as written in the request. */
const keyOf = (projectId: number, sha: string): string => `${projectId} ${sha}`;

const take = (world: World, key: string): (() => void) => {
  let end = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const release = (): void => {
    clearTimeout(timer);
    world.timers.delete(timer);
    if (world.statusLocks.get(key) === held) world.statusLocks.delete(key);
    end();
  };
  const timer = setTimeout(release, ttlMs);
  world.timers.add(timer);
  world.statusLocks.set(key, held);
  return release;
};

const waitFor = async (held: Promise<void>, ms: number): Promise<void> => {
  const late = new AbortController();
  await Promise.race([held, sleep(ms, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
};

export const inStatusLock = async <Result>(
  world: World,
  at: { readonly projectId: number; readonly sha: string },
  task: () => Promise<Result>,
): Promise<Result> => {
  const key = keyOf(at.projectId, at.sha);
  const until = performance.now() + world.statusLockWaitMs;
  for (let held = world.statusLocks.get(key); held !== undefined; held = world.statusLocks.get(key)) {
    const left = until - performance.now();
    if (left <= 0) throw conflict('Another update to this commit status is in progress');
    await waitFor(held, left);
  }
  const release = take(world, key);
  try {
    return await task();
  } finally {
    release();
  }
};

/** Holds the lock, as another client's update would, until the returned function is called. */
export const holdLock = (world: World, projectId: number, sha: string): (() => void) =>
  take(world, keyOf(projectId, sha));
