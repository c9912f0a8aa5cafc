import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { delayOrAbort, timeLimit, withTimeLimit } from '../../shared/time-limit.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const aborted = async (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });

test('comes although nobody but its listeners knows of it when garbage is collected', async () => {
  const waiting = aborted(timeLimit(300, new AbortController().signal));
  const collecting = setInterval(collect, 20);
  try {
    expect(await waiting).toMatchObject({ name: 'TimeoutError' });
  } finally {
    clearInterval(collecting);
  }
});

test('gives way to the signal that it is joined with, with its reason', async () => {
  const caller = new AbortController();
  const waiting = aborted(timeLimit(60_000, caller.signal));
  caller.abort(new Error('superseded'));
  expect(await waiting).toEqual(new Error('superseded'));
});

test('is over at once when the caller has gone already', () => {
  expect(timeLimit(60_000, AbortSignal.abort()).aborted).toBe(true);
});

test('stands alone, too', async () => {
  expect(await aborted(timeLimit(5))).toMatchObject({ name: 'TimeoutError' });
});

test('ends with the work that it is around, and hands on what came of it', async () => {
  const signal = new AbortController().signal;
  let seen: AbortSignal | null = null;
  const work = async (limited: AbortSignal): Promise<string> => {
    seen = limited;
    return 'done';
  };
  await expect(withTimeLimit({ ms: 30, signal }, work)).resolves.toBe('done');
  await expect(aborted(timeLimit(60))).resolves.toMatchObject({ name: 'TimeoutError' });
  expect(seen).toMatchObject({ aborted: false });
});

test('reaches the work that takes too long', async () => {
  const signal = new AbortController().signal;
  await expect(withTimeLimit({ ms: 10, signal }, aborted)).resolves.toMatchObject({ name: 'TimeoutError' });
});

test('a wait ends in time, with the signal, or at once if the signal has aborted, and leaves no listener', async () => {
  const waiting = new AbortController();
  await delayOrAbort(1, waiting.signal);
  expect(getEventListeners(waiting.signal, 'abort')).toEqual([]);
  const long = delayOrAbort(600_000, waiting.signal);
  waiting.abort();
  await expect(long).resolves.toBeUndefined();
  await expect(delayOrAbort(600_000, waiting.signal)).resolves.toBeUndefined();
  expect(getEventListeners(waiting.signal, 'abort')).toEqual([]);
});
