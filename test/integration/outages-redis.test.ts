/** Redis fails over: the old primary becomes a replica of an unreachable primary, and is promoted again. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultMatch } from '../sim/forgejo/faults.ts';
import type { ScriptMatch } from '../sim/messages/script.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { eventually, STORY_MS } from '../support/story-world.ts';
import { type Cases, casesOf } from './outage-look.ts';

/** Longer than one pause between two connection attempts. */
const AWAY_MS = 1_500;

const reviewer = seededReviewer(7, { explore: ['Who calls a, and with what?'] });

let story: ModelStory;
let cases: Cases;

beforeAll(async () => {
  story = await startModelStory('[queues]\nbackoff_ms = 20\n');
  cases = casesOf(story.world);
  story.model.script(reviewer);
}, STORY_MS);
afterAll(async () => story?.finish(), STORY_MS);

const becomeReplica = async (): Promise<void> => void (await story.world.redis.replicaof('127.0.0.1', '1'));

const readiness = async (): Promise<string> => {
  const answer = await fetch(`${story.world.ingressUrl}/readyz`);
  return `${answer.status} ${await answer.text()}`;
};

/** Demotes Redis, waits until no service is ready, and promotes it again. */
const failOver = async (): Promise<void> => {
  await becomeReplica();
  await eventually('an ingress that is not ready', async () => (await readiness()).startsWith('503'));
  await pause(AWAY_MS);
  await story.world.redis.replicaof('NO', 'ONE');
  await eventually('an ingress that is ready', async () => (await readiness()).startsWith('200'));
};

const FORGE_PHASES: Readonly<Record<string, FaultMatch>> = {
  'the announcement': { method: 'POST', path: /\/statuses\// },
  'the post of the review': { method: 'POST', path: /\/reviews$/ },
  'the facts of guard': { method: 'GET', path: /\/pulls\/\d+$/ },
  'the fetch of git': { path: /info\/refs/ },
};

const MODEL_PHASES: Readonly<Record<string, ScriptMatch>> = {
  'the first call of the model': { hasTool: 'submit_review', when: ({ turn }) => turn === 0 },
  'the explorers': { lacksTool: 'submit_review' },
};

/** Only the first `count` in the usual run. */
const some = <Phase>(phases: Readonly<Record<string, Phase>>, count: number): readonly (readonly [string, Phase])[] =>
  Object.entries(phases).slice(0, process.env['FIXPOINT_DEEP'] === '1' ? undefined : count);

describe.sequential('F-E3: a failover of Redis', () => {
  test('is compared with a review without one', async () => cases.expectTheSame(await cases.open()), STORY_MS);

  test.each(some(FORGE_PHASES, 2))(
    'at %s changes nothing of what is said in the end',
    async (_phase, at) => {
      const away = story.world.sim.fault(at, { kind: 'meanwhile', task: failOver });
      await cases.expectTheSame(await cases.open());
      expect(away.remaining()).toBe(0);
    },
    STORY_MS,
  );

  test.each(some(MODEL_PHASES, 1))(
    'at %s changes nothing of what is said in the end',
    async (_phase, at) => {
      let done: Promise<void> | null = null;
      const meanwhile = story.model.script(async (exchange) => {
        await (done ??= failOver());
        return typeof reviewer === 'function' ? reviewer(exchange) : null;
      }, at);
      await cases.expectTheSame(await cases.open());
      meanwhile.remove();
      expect(done).not.toBeNull();
    },
    STORY_MS,
  );

  test(
    'refuses webhooks meanwhile, and the next sweep finds what they told',
    async () => {
      await becomeReplica();
      await eventually('an ingress that is not ready', async () => (await readiness()).startsWith('503'));
      const from = story.world.sim.deliveries.length;
      const number = await cases.open();
      await story.world.sim.settled();
      expect(story.world.sim.deliveries.slice(from).map(({ status }) => status)).not.toContain(202);
      await story.world.redis.replicaof('NO', 'ONE');
      await eventually('an ingress that is ready', async () => (await readiness()).startsWith('200'));
      await story.world.sweep();
      await cases.expectTheSame(number);
    },
    STORY_MS,
  );
});
