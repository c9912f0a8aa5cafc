/** Row Q1: after a crash of any service at any step, the change request looks the same as without it, on every forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultMatch, FaultStep } from '../sim/forgejo/faults.ts';
import { shardOf } from '../support/deep.ts';
import { AUTHOR, BOT, type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetSim, FORGE_KINDS, handsOn } from '../support/fleet-forge.ts';
import { type FleetQueues, openQueues, until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, FINDINGS, findingsIn, readerView, type Told } from '../support/fleet-story.ts';
import { playReview, playUndisturbed, type ReaderView } from '../support/undisturbed.ts';
import { type Crash, type CrashStory, describeStory, planCrashStories } from './crash-table.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

const START_MS = 240_000;
const STORY_MS = 180_000;

let fleet: Fleet<FleetSim>;
let queues: FleetQueues;
let undisturbed: readonly ReaderView[];

/** Waits until the queues are idle, so that a job of the previous round does not trigger the crash. */
const armCrash = async ({ service, at }: Crash) => {
  await queues.idle();
  await Promise.all(fleet.alive(service).map(async (each) => each.kill()));
  return fleet.spawn(service, { crashAt: at });
};

const survive = async (story: CrashStory, branch: string): Promise<void> => {
  let told: Told | null = null;
  for (let review = 1; review <= Math.max(...story.keys()); review += 1) {
    const crash = story.get(review);
    const doomed = crash === undefined ? null : await armCrash(crash);
    told = await playReview(fleet, told, { branch, review });
    if (crash !== undefined) {
      expect(await doomed?.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await fleet.spawn(crash.service);
    }
    await awaitVerdict(fleet, told);
    expect(readerView(fleet, told)).toEqual(undisturbed[review - 1]);
  }
  expect(fleet.sim.violations).toEqual([]);
};

const decidedOn = (told: Told): readonly unknown[] =>
  fleet
    .records('guard')
    .flatMap(({ msg, changeRequest, reason }) => (msg === 'decided' && changeRequest === told.number ? [reason] : []));

type Standstill = { readonly what: string; readonly at: FaultMatch; readonly how: FaultStep; readonly left: number };

/** Where the poster waits for an answer that does not come, and how many drafts exist when it is killed. */
const STANDSTILLS: readonly Standstill[] = [
  {
    what: 'between two drafts',
    at: { method: 'POST', path: /\/draft_notes$/ },
    how: { kind: 'timeout', when: 'after' },
    left: 1,
  },
  {
    what: 'before they are published',
    at: { method: 'POST', path: 'bulk_publish' },
    how: { kind: 'timeout' },
    left: 3,
  },
];

afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

/** GitLab needs the most steps to publish comments; the other forges run only in the deep run. */
const KINDS = FORGE_KINDS.filter((kind) => DEEP || kind === 'gitlab');

/** On every forge, numbered for the branches. */
const STORIES = shardOf(
  'stories with crashes',
  KINDS.flatMap((kind) => planCrashStories(DEEP).map((story, index) => ({ kind, story, index }))),
);

describe.each(KINDS)('on %s every comment stands once, whoever is killed', (kind) => {
  beforeAll(async () => {
    await queues?.close();
    await fleet?.close();
    const knobs = { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5 };
    fleet = await startFleet({ forge: kind, count: { explorer: 0 }, knobs });
    queues = openQueues(fleet);
    await commitBase(fleet);
    undisturbed = await playUndisturbed(fleet);
  }, START_MS);

  test('the story tells of the same findings at the same places as on every other forge', () => {
    expect(undisturbed.map(findingsIn)).toEqual(FINDINGS);
  });

  for (const { story, index } of STORIES.filter((each) => each.kind === kind)) {
    test(`Q1: killed are ${describeStory(story)}`, async () => survive(story, `story-${index}`), STORY_MS);
  }

  test(
    'Q1: a command is decided on although the ingress died with it and the forge never sends it again',
    async () => {
      const told = await playReview(fleet, null, { branch: 'commanded', review: 1 });
      await awaitVerdict(fleet, told);
      const doomed = await armCrash({ service: 'ingress', at: 'after-push' });
      await handsOn(fleet.sim).comment({ ...told, as: AUTHOR, body: `@${BOT} review` });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await fleet.spawn('ingress');
      // The sweep itself does not wake a change request that has its verdict.
      await until(() => decidedOn(told).includes('this input already has its verdict'));
    },
    STORY_MS,
  );

  // Forgejo and Gitea create a whole review in one request, so no drafts can be left.
  for (const { what, at, how, left } of kind === 'gitlab' ? STANDSTILLS : []) {
    test(
      `P10: drafts of a poster that is killed ${what} are taken back, and the comments are posted once`,
      async () => {
        await queues.idle();
        const [doomed] = fleet.alive('poster');
        const standstill = fleet.sim.fault(at, how);
        const told = await playReview(fleet, null, { branch: what.replaceAll(' ', '-'), review: 1 });
        await until(() => standstill.remaining() === 0 && readerView(fleet, told).unpublished.length === left);
        await doomed?.kill();
        await fleet.spawn('poster');
        await awaitVerdict(fleet, told);
        expect(readerView(fleet, told)).toEqual(undisturbed[0]);
        expect(fleet.sim.violations).toEqual([]);
      },
      STORY_MS,
    );
  }
});
