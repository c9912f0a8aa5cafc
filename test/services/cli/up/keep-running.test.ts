import { describe, expect, it } from 'vitest';
import { type Exit, keepRunning, pauseMs, type Running } from '../../../../services/cli/up/keep-running.ts';

const KILLED: Exit = { code: 1, how: 'was killed by SIGKILL' };

type End = Exit & { readonly afterMs: number };

/** A process that ends as the list says, and after that runs until it is asked to stop. */
const stage = (ends: readonly End[]) => {
  const leaving = new AbortController();
  const said: string[] = [];
  const pauses: number[] = [];
  const signals: NodeJS.Signals[] = [];
  let starts = 0;
  let now = 0;
  const start = async (): Promise<Running> => {
    const end = ends[starts];
    starts += 1;
    if (end === undefined) {
      let stopped: (exit: Exit) => void = () => {};
      const gone = new Promise<Exit>((resolve) => {
        stopped = resolve;
      });
      // It is asked to leave once it runs for good.
      queueMicrotask(() => leaving.abort());
      return { gone, stop: (signal) => (signals.push(signal), stopped({ code: 0, how: 'exited' })) };
    }
    now += end.afterMs;
    return { gone: Promise.resolve(end), stop: (signal) => void signals.push(signal) };
  };
  const pause = async (ms: number): Promise<void> => void pauses.push(ms);
  const code = keepRunning(
    { name: 'the service guard', start },
    { leaving: leaving.signal, say: (text) => void said.push(text), nowMs: () => now, pause },
  );
  return { code, said, pauses, signals, starts: () => starts, leaving };
};

const killed = (afterMs: number): End => ({ ...KILLED, afterMs });

describe('a process that dies', () => {
  it('is named and started again, and ends with 0 when it is asked to leave', async () => {
    const { code, said, signals, starts } = stage([killed(10)]);
    expect(await code).toBe(0);
    expect(said).toEqual(['the service guard was killed by SIGKILL; it is restarted in 1 s']);
    expect([starts(), signals]).toEqual([2, ['SIGTERM']]);
  });

  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 0],
    ['SIGKILL', 1],
  ] as const)('that a %s kills while everything leaves ends with %i', async (signal, expected) => {
    const leaving = new AbortController();
    const start = async (): Promise<Running> => {
      leaving.abort();
      return { gone: Promise.resolve({ code: 1, how: `was killed by ${signal}`, signal }), stop: () => {} };
    };
    const options = { leaving: leaving.signal, say: () => {}, nowMs: () => 0, pause: async () => {} };
    expect(await keepRunning({ name: 'the service guard', start }, options)).toBe(expected);
  });

  it('is waited for longer and longer while it dies early', async () => {
    const { code, pauses } = stage([killed(10), killed(10), killed(10)]);
    await code;
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
  });

  it('is waited for the shortest time again after it ran for a minute', async () => {
    const { code, pauses } = stage([killed(10), killed(10), killed(60_000), killed(59_999)]);
    await code;
    expect(pauses).toEqual([1_000, 2_000, 1_000, 2_000]);
  });

  it('is given up when it has died six times in a row', async () => {
    const { code, said, starts } = stage(Array.from({ length: 9 }, () => killed(10)));
    expect(await code).toBe(1);
    expect(starts()).toBe(6);
    expect(said.at(-1)).toBe(
      'the service guard was killed by SIGKILL; it has exited 6 times in a row, so all services stop',
    );
  });

  it('is given up at once when its configuration is wrong', async () => {
    const { code, starts, said } = stage([{ code: 2, how: 'exited with code 2', afterMs: 10 }]);
    expect(await code).toBe(2);
    expect([starts(), said]).toEqual([
      1,
      ['the service guard exited with code 2; it would exit again for the same reason, so all services stop'],
    ]);
  });

  it('is no success when it ends by itself with 0', async () => {
    const { code } = stage(Array.from({ length: 6 }, () => ({ code: 0, how: 'exited with code 0', afterMs: 1 })));
    expect(await code).toBe(1);
  });
});

it('a process that ends because it was asked to says nothing, and its code counts', async () => {
  const leaving = new AbortController();
  const said: string[] = [];
  const start = async (): Promise<Running> => {
    leaving.abort();
    return { gone: Promise.resolve({ code: 7, how: 'exited with code 7' }), stop: () => {} };
  };
  const options = { leaving: leaving.signal, say: (text: string) => void said.push(text) };
  const code = await keepRunning({ name: 'x', start }, { ...options, nowMs: () => 0, pause: async () => {} });
  expect([code, said]).toEqual([7, []]);
});

it('nothing is started any more once everything leaves in a pause', async () => {
  const leaving = new AbortController();
  let starts = 0;
  const start = async (): Promise<Running> => {
    starts += 1;
    return { gone: Promise.resolve(KILLED), stop: () => {} };
  };
  const pause = async (): Promise<void> => leaving.abort();
  const options = { leaving: leaving.signal, say: () => {}, nowMs: () => 0, pause };
  expect(await keepRunning({ name: 'x', start }, options)).toBe(0);
  expect(starts).toBe(1);
});

it('the longest pause is half a minute', () => {
  expect([1, 2, 5, 6, 60].map(pauseMs)).toEqual([1_000, 2_000, 16_000, 30_000, 30_000]);
});
