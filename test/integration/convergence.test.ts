/** Part E: one change request with 20 defects, and an author who does everything that authors do. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { shardOf, usually } from '../support/deep.ts';
import { DISTURBANCES } from './convergence-disturb.ts';
import { reportOf } from './convergence-judge.ts';
import { type Played, playHandedOff, playScript } from './convergence-play.ts';
import { SEEDS } from './convergence-shop.ts';
import { type Play, startPlay, STEPS, DECLINED } from './convergence-script.ts';
import { startConvergenceStage } from './convergence-stage.ts';

const TEST_MS = 600_000;
const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const REPORTS = DEEP || process.env['FIXPOINT_REPORT'] !== undefined;

const disturbance = (words: string) => {
  const found = DISTURBANCES.find(({ name }) => name.includes(words));
  if (found === undefined) throw new Error(words);
  return found;
};

/** One of each kind in one play; the last leaves the comments of the previous account unchanged. */
const MIXED = new Map([
  [0, disturbance('flushed')],
  [1, disturbance('deleted')],
  [5, disturbance('flushed')],
  // A deleted summary comes back with the next review.
  [7, disturbance('older edit')],
  [9, disturbance('the old one is listed')],
]);

/** The number of merges in the script's specification. */
const ALL_MERGES = 16;

const GAPS = STEPS.slice(0, -1).map(({ name }, after) => ({ name, after }));
const SINGLE = DISTURBANCES.flatMap((each) => GAPS.map((gap) => ({ ...gap, what: each.name, each })));

/** After this step there are only commands. */
const LAST_HEAD = GAPS.length - 1;

const SAME = SINGLE.filter(({ each }) => each.ends !== 'handed_off');
const HANDED_OFF = SINGLE.filter(({ each, after }) => each.ends === 'handed_off' && after < LAST_HEAD);

const onStage = async <Result>(
  kind: ForgeKind,
  task: (play: Play) => Promise<Result>,
  merges?: number,
): Promise<Result> => {
  const stage = await startConvergenceStage(kind);
  try {
    return await task(await startPlay(stage, merges));
  } finally {
    await stage.finish();
  }
};

test('the shop has 20 mistakes of every severity', () => {
  expect(SEEDS).toHaveLength(20);
  expect(new Set(SEEDS.map(({ severity }) => severity))).toEqual(new Set(['P0', 'P1', 'P2', 'P3']));
});

describe.each(usually('forgejo' as const, 'gitea' as const, 'gitlab' as const))('on %s', (kind) => {
  let undisturbed: Played;
  let mixed: Played;
  // In parallel: each mostly waits for other processes.
  beforeAll(async () => {
    [undisturbed, mixed] = await Promise.all([
      onStage(kind, async (play) => playScript(play)),
      onStage(kind, async (play) => playScript(play, MIXED)),
    ]);
    if (REPORTS) process.stdout.write(`\n${reportOf(kind, undisturbed.rows)}`);
  }, TEST_MS);

  test('converges: nothing lost, said twice, raised again after a decline or on unchanged code, or passed too early', () => {
    expect(undisturbed.faults).toEqual([]);
    expect(undisturbed.rows.at(-1)).toMatchObject({ verdict: 'lgtm', review: 6 });
    // What was declined is answered once, and then stands until somebody dismisses it.
    expect(undisturbed.rows.at(-2)).toMatchObject({ verdict: 'feedback', states: { open: DECLINED.length } });
  });

  test.runIf(DEEP)(
    'converges as well where the target branch is merged 16 times',
    async () => {
      const played = await onStage(kind, async (play) => playScript(play), ALL_MERGES);
      process.stdout.write(`\n${reportOf(`${kind}, ${ALL_MERGES} merges`, played.rows)}`);
      expect(played.faults).toEqual([]);
      expect(played.claims).toEqual(undisturbed.claims);
    },
    TEST_MS,
  );

  test('X10: ends the same with Redis flushed, the summary deleted, an older edit restored, and the bot under another account', () => {
    expect(mixed.faults).toEqual([]);
    expect(mixed.claims).toEqual(undisturbed.claims);
  });

  test.runIf(DEEP).concurrent.each(shardOf(`disturbances on ${kind}`, SAME))(
    'X10: ends the same when $what after the author $name',
    async ({ after, each }) => {
      const played = await onStage(kind, async (play) => playScript(play, new Map([[after, each]])));
      expect(played.faults).toEqual([]);
      expect(played.claims).toEqual(undisturbed.claims);
      if (each.ends === 'same') expect(played.view).toEqual(undisturbed.view);
    },
    TEST_MS,
  );

  test.runIf(DEEP).concurrent.each(shardOf(`hand-offs on ${kind}`, HANDED_OFF))(
    'X10: hands off each head and says nothing else when $what after the author $name',
    async ({ after, each }) => {
      const { headsSince, ...said } = await onStage(kind, async (play) =>
        playHandedOff(play, { after, disturbance: each }),
      );
      expect(said).toEqual({
        kinds: new Set(['handoff', 'summary']),
        calls: 1,
        heads: headsSince,
        reasons: new Set(['unknown_bot_account']),
        verdict: 'inconclusive',
      });
    },
    TEST_MS,
  );

  test.runIf(DEEP).concurrent.each(DISTURBANCES.filter(({ ends }) => ends === 'handed_off'))(
    'X10: only answers what it is asked, and passes nothing, when $name behind the last head',
    async (each) => {
      const said = await onStage(kind, async (play) => playHandedOff(play, { after: LAST_HEAD, disturbance: each }));
      expect(said).toEqual({
        headsSince: [],
        kinds: new Set(['answer']),
        calls: 0,
        heads: [],
        reasons: new Set(),
        verdict: 'feedback',
      });
    },
    TEST_MS,
  );
});
