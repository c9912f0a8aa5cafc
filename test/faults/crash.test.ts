/** Row Q1: whoever is killed at whatever step, the change request looks as if nobody had been. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues } from '../support/fleet-queues.ts';
import {
  awaitVerdict,
  commitBase,
  openStory,
  pushRound,
  readerView,
  ROUNDS,
  type Told,
} from '../support/fleet-story.ts';
import { type Crash, type CrashStory, describeStory, planCrashStories } from './crash-table.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

let fleet: Fleet;
let queues: FleetQueues;
/** What a reader sees after each round when nobody is killed; index 0 is round 1. */
const undisturbed: unknown[] = [];

const playRound = async (told: Told | null, branch: string, round: number): Promise<Told> => {
  if (told === null) return openStory(fleet, fleet.repos[0] ?? '', branch);
  await pushRound(fleet, told, round);
  return told;
};

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
  let told: Told | null = null;
  for (let round = 1; round <= ROUNDS; round += 1) {
    told = await playRound(told, 'undisturbed', round);
    await awaitVerdict(fleet, told);
    undisturbed.push(readerView(fleet, told));
  }
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
    told = await playRound(told, branch, round);
    if (crash !== undefined) {
      expect(await doomed?.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await fleet.spawn(crash.service);
    }
    await awaitVerdict(fleet, told);
    expect(readerView(fleet, told)).toEqual(undisturbed[round - 1]);
  }
  expect(fleet.sim.violations).toEqual([]);
};

describe.sequential('whoever is killed and started again, the comments are the same, each once', () => {
  for (const [index, story] of planCrashStories(DEEP).entries()) {
    test(`Q1: killed are ${describeStory(story)}`, async () => survive(story, `story-${index}`), 180_000);
  }
});
