/** Row Q1: whoever is killed at whatever step, the change request looks as if nobody had been. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUTHOR, BOT, type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues, until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, readerView, type Told } from '../support/fleet-story.ts';
import { playRound, playUndisturbed, type ReaderView } from '../support/undisturbed.ts';
import { type Crash, type CrashStory, describeStory, planCrashStories } from './crash-table.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

let fleet: Fleet;
let queues: FleetQueues;
let undisturbed: readonly ReaderView[];

/** Nothing of the round before must be left, or it would meet the crash in place of the round that is meant. */
const armCrash = async ({ service, at }: Crash) => {
  await queues.idle();
  await Promise.all(fleet.alive(service).map(async (each) => each.kill()));
  return fleet.spawn(service, { crashAt: at });
};

beforeAll(async () => {
  fleet = await startFleet({ count: { explorer: 0 }, knobs: { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5 } });
  queues = openQueues(fleet);
  await commitBase(fleet);
  undisturbed = await playUndisturbed(fleet);
}, 240_000);

afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

const survive = async (story: CrashStory, branch: string): Promise<void> => {
  let told: Told | null = null;
  for (let round = 1; round <= Math.max(...story.keys()); round += 1) {
    const crash = story.get(round);
    const doomed = crash === undefined ? null : await armCrash(crash);
    told = await playRound(fleet, told, { branch, round });
    if (crash !== undefined) {
      expect(await doomed?.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await fleet.spawn(crash.service);
    }
    await awaitVerdict(fleet, told);
    expect(readerView(fleet, told)).toEqual(undisturbed[round - 1]);
  }
  expect(fleet.sim.violations).toEqual([]);
};

const decidedOn = (told: Told): readonly unknown[] =>
  fleet
    .records('guard')
    .flatMap(({ msg, changeRequest, reason }) => (msg === 'decided' && changeRequest === told.number ? [reason] : []));

describe.sequential('whoever is killed and started again, the comments are the same, each once', () => {
  for (const [index, story] of planCrashStories(DEEP).entries()) {
    test(`Q1: killed are ${describeStory(story)}`, async () => survive(story, `story-${index}`), 180_000);
  }

  test('Q1: a command is decided on although the ingress died with it and the forge never sends it again', async () => {
    const told = await playRound(fleet, null, { branch: 'commanded', round: 1 });
    await awaitVerdict(fleet, told);
    const doomed = await armCrash({ service: 'ingress', at: 'after-push' });
    fleet.sim.comment({ ...told, as: AUTHOR, body: `@${BOT} review` });
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await fleet.spawn('ingress');
    // The sweep has no reason of its own to wake a change request that has its verdict.
    await until(() => decidedOn(told).includes('this head has its verdict'));
  }, 180_000);
});
