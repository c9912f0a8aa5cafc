/** Rows P10 to P13: posting exactly once to a forge without idempotency keys, by reading before and after. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultMatch, FaultStep } from '../sim/forgejo/faults.ts';
import { propertyMs, propertyRuns } from '../support/deep.ts';
import { ONCE, openPosterBench, type PosterBench, REPO } from './poster-bench.ts';

let bench: PosterBench;
beforeAll(async () => {
  bench = await openPosterBench({ maxPageSize: 20 });
});
afterAll(async () => bench?.close());

const statusRows = (number: number) => bench.sim.snapshot(REPO, number).headStatuses['fixpoint'];

const WRITES: readonly (FaultMatch & { readonly name: string })[] = [
  { name: 'opening the review', method: 'POST', path: /\/reviews$/ },
  { name: 'writing a comment', method: 'POST', path: /\/issues\/\d+\/comments$/ },
  { name: 'setting the status', method: 'POST', path: /\/statuses\// },
];

const TROUBLES: readonly { readonly name: string; readonly step: FaultStep }[] = [
  { name: 'is cut before it is done', step: { kind: 'reset' } },
  { name: 'is done, but the connection is cut', step: { kind: 'reset', when: 'after' } },
  { name: 'is done, but never answered', step: { kind: 'timeout', when: 'after' } },
  { name: 'is done, but answered with 500', step: { kind: 'status', status: 500, when: 'after' } },
  { name: 'is done, but the answer breaks off', step: { kind: 'truncate' } },
  { name: 'fails with 500', step: { kind: 'status', status: 500 } },
];

/** Retries like the queue, but without its back-off, which would hide the effect of lagging lists. */
const postUntilDone = async (number: number): Promise<void> => {
  const memory = new Set<string>();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await bench.post(number, { memory });
      return;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
};

describe.sequential('everything is said once', () => {
  for (const { name: write, ...match } of WRITES) {
    for (const { name: trouble, step } of TROUBLES) {
      test(`P12: when ${write} ${trouble}, and lists hide what was written for three seconds`, async () => {
        const number = await bench.open();
        bench.sim.setReadLag(3_000);
        const fault = bench.sim.fault(match, step);
        await postUntilDone(number);
        bench.sim.setReadLag(0);
        expect(fault.remaining()).toBe(0);
        expect({ said: bench.said(number), status: statusRows(number) }).toEqual({ said: ONCE, status: 'failure' });
      });
    }
  }

  test('P11: when its own words stand behind 350 comments of others, twenty to a page', async () => {
    const number = await bench.open();
    const talk = (from: number, to: number): void => {
      for (let index = from; index < to; index += 1)
        bench.sim.comment({ repo: REPO, number, as: 'team', body: `Remark ${index}` });
    };
    talk(0, 175);
    await bench.post(number);
    talk(175, 350);
    const before = bench.sim.effects.length;
    await bench.post(number);
    expect(bench.said(number)).toEqual(ONCE);
    // Only the status is written every time.
    expect(bench.sim.effects.slice(before).map(({ kind }) => kind)).toEqual(['status.create']);
  });

  test(
    'P10: when two posters without a lock are interleaved at every call',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), async (scheduler) => {
          const number = await bench.open();
          const around = async <Result>(call: () => Promise<Result>): Promise<Result> => {
            await scheduler.schedule(Promise.resolve());
            return call();
          };
          await scheduler.waitFor(Promise.all([bench.post(number, { around }), bench.post(number, { around })]));
          expect(bench.said(number)).toEqual(ONCE);
        }),
        propertyRuns(12, 256),
      );
    },
    propertyMs(300_000),
  );

  test('P13: nothing inline is said about a head that has moved on', async () => {
    const number = await bench.open();
    const { headRef } = bench.sim.pullAt({ repo: REPO, number });
    await bench.sim.commitFiles({
      repo: REPO,
      branch: headRef,
      files: { 'b.js': 'four();\n' },
      message: 'More\n',
      author: 'team',
    });
    expect(await bench.post(number)).toBe('head_moved');
    expect(bench.said(number)).toEqual([]);
  });
});
