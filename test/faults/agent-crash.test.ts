/**
 * Row Q1 for a review by a model: every reviewer and explorer process (three each; one each in the fast run) is killed at
 * the named step. The draft must equal the one without crashes, and each kill may cost at most one model call.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import type { ChatSim } from '../sim/chat/start.ts';
import { shardOf } from '../support/deep.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, readerView, type Told } from '../support/fleet-story.ts';
import { MANY_FILES } from '../support/many-files.ts';
import { CHOSEN_WIRE, stageOf } from '../support/wires.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const START_MS = 240_000;
const STORY_MS = 240_000;
const VERDICT_MS = 200_000;

const EACH = DEEP ? 3 : 1;

const QUESTIONS = [
  'Who calls sum() and relies on its arguments being numbers?',
  'Who calls greet() with text from outside?',
  'Where is ship.sh started, and with which rights?',
  'Which tests cover sum(), greet() and the shipping script?',
] as const;

type Crash = { readonly service: 'reviewer' | 'explorer'; readonly at: string; readonly usual?: true };

/**
 * `before-input:n` loses the nth answer of the model or the nth tool results; `after-input` loses nothing. Without
 * crashes, a reviewer has five inputs over both executions, an explorer two to four.
 */
const CRASHES: readonly Crash[] = [
  { service: 'reviewer', at: 'before-fetch' },
  { service: 'reviewer', at: 'before-review' },
  { service: 'reviewer', at: 'before-input' },
  { service: 'reviewer', at: 'after-input' },
  { service: 'reviewer', at: 'before-input:2' },
  { service: 'reviewer', at: 'after-input:2' },
  { service: 'reviewer', at: 'before-explorer' },
  { service: 'reviewer', at: 'after-explorer' },
  { service: 'reviewer', at: 'before-explorer:3' },
  { service: 'reviewer', at: 'after-explorer:4', usual: true },
  { service: 'reviewer', at: 'before-waiting' },
  { service: 'reviewer', at: 'before-draft' },
  { service: 'reviewer', at: 'before-report' },
  { service: 'explorer', at: 'before-fetch' },
  { service: 'explorer', at: 'before-input' },
  { service: 'explorer', at: 'after-input' },
  { service: 'explorer', at: 'before-input:2' },
  { service: 'explorer', at: 'after-input:2' },
  { service: 'explorer', at: 'before-notes' },
  { service: 'explorer', at: 'after-notes' },
];

let sim: ChatSim;
let fleet: Fleet;
let queues: FleetQueues;
let plain: Played;

type Played = { readonly view: ReturnType<typeof readerView>; readonly draft: unknown; readonly calls: number };

/** The parts of a draft that do not depend on how it was made. */
const lastDraft = async ({ number }: Told): Promise<unknown> => {
  const runId = fleet
    .records('reviewer')
    .findLast(
      ({ msg, changeRequest, outcome }) => msg === 'run ended' && changeRequest === number && outcome === 'drafted',
    )?.['jobId'];
  const redis = connectRedis(fleet.redis.url, 'worker');
  try {
    const key = createKeys('fixpoint').ofRun(String(runId).replace('review-', ''), 'draft');
    const draft = await createDocumentStore(redis, ReviewDraft).load(key);
    if (draft === null) return null;
    const { summary, findings, answers, coverage, exceeded, review, attempt } = draft;
    return { summary, findings, answers, coverage, exceeded, review, attempt };
  } finally {
    redis.disconnect();
  }
};

const play = async (branch: string): Promise<Played> => {
  const before = sim.requests.length;
  const told = await openStory(fleet, fleet.repos[0] ?? '', branch, MANY_FILES);
  await awaitVerdict(fleet, told, VERDICT_MS);
  return { view: readerView(fleet, told), draft: await lastDraft(told), calls: sim.requests.length - before };
};

type Ambush = { readonly end: () => Promise<number> };

/**
 * Every process of the service crashes at the step once, then one without a crash is started. Crashing processes that
 * remain at the end are killed, so that they do not affect the next test.
 */
const armAll = async ({ service, at }: Crash): Promise<Ambush> => {
  await queues.idle();
  const killAll = async (): Promise<void> => {
    await Promise.all(fleet.alive(service).map(async (each) => each.kill()));
  };
  await killAll();
  const doomed = await Promise.all(Array.from({ length: EACH }, async () => fleet.spawn(service, { crashAt: at })));
  let [armed, kills] = [true, 0];
  let follower: Promise<unknown> = Promise.resolve();
  for (const each of doomed) {
    void each.exited.then(() => {
      if (!armed) return;
      kills += 1;
      if (kills === EACH) follower = fleet.spawn(service);
    });
  }
  return {
    end: async () => {
      armed = false;
      await follower;
      await killAll();
      await fleet.spawn(service);
      return kills;
    },
  };
};

beforeAll(async () => {
  sim = await CHOSEN_WIRE.start();
  sim.script(seededReviewer(11, { explore: QUESTIONS }));
  fleet = await startFleet({
    count: { reviewer: EACH, explorer: EACH },
    knobs: { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5, model: stageOf(CHOSEN_WIRE, sim) },
  });
  queues = openQueues(fleet);
  await commitBase(fleet);
  plain = await play('undisturbed');
}, START_MS);

afterAll(async () => {
  await queues?.close();
  await fleet?.close();
  await sim?.close();
});

const TRIED = shardOf(
  'crashes',
  CRASHES.filter(({ usual }) => DEEP || usual === true),
);

describe.sequential('a review with four explorers', () => {
  test('asks them, and ends in a draft of its own', () => {
    expect(plain.draft).toMatchObject({ exceeded: null, coverage: { complete: true } });
    const explorers = sim.requests.filter(
      ({ request }) => !request?.tools?.some(({ name }) => ['submit_review', 'submit_verification'].includes(name)),
    );
    expect(new Set(explorers.map(({ conversation }) => conversation)).size).toBe(QUESTIONS.length);
  });

  test.each(TRIED)(
    'Q1: survives that every $service is killed at $at',
    async (crash) => {
      const ambush = await armAll(crash);
      const played = await play(`${crash.service}-${crash.at.replace(':', '-')}`);
      const killed = await ambush.end();
      expect(killed).toBeGreaterThan(0);
      expect({ ...played, calls: 0 }).toEqual({ ...plain, calls: 0 });
      expect(played.calls).toBeLessThanOrEqual(plain.calls + killed);
      expect(sim.violations).toEqual([]);
    },
    STORY_MS,
  );
});
