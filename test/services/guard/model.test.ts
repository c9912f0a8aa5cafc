/** X15: people, bots, late and repeated webhooks, faults, wipes and restarts in any order, against the real guard. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxComments, maxStartedRuns } from '../../../shared/rounds/bound/bound.ts';
import { withGrants } from '../../../shared/rounds/model/policy.ts';
import { readOwnMarkers } from '../../../shared/rounds/memory/own-markers.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../../services/cli/redis/embedded-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { propertyMs, propertyRuns } from '../../support/deep.ts';
import { DEEDS, land, type Model, type Real, sweepOver } from './model-deeds.ts';
import { createModelStage, type ModelStage } from './model-stage.ts';

const POLICY = make.policy(
  { quietMs: 2_000, gate: { ...make.policy().gate, waitForCi: false, ciDeadlineMs: 1_000 } },
  // Small, so that every cap is reached.
  { max: 2, maxRuns: 3, attempts: 2, threadCount: 2 },
);

/** Far more than all that is bounded can need: who wants more never rests. */
const MANY_JOBS = 1_500;

let server: EmbeddedRedis;
beforeAll(async () => {
  server = await startEmbeddedRedis();
});
afterAll(async () => server.close());

const begin = async (seed: number): Promise<Real> => {
  const redis = server.connect();
  await redis.flushall();
  const stage = await createModelStage(redis, POLICY);
  let state = seed;
  const draw = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  await stage.deliver(make.forgeEvent('opened', { head: stage.forge.facts().head }));
  return { stage, sent: [], held: [], draw };
};

const settle = async (real: Real): Promise<void> => {
  if (!(await real.stage.run(MANY_JOBS, real.draw))) throw new Error('it never comes to rest');
};

/** People are done. What was lost is found by sweeps; then nothing must move any more, however often they look. */
const comeToRest = async (real: Real): Promise<void> => {
  const { stage } = real;
  stage.forge.fail(0);
  await land(real);
  await settle(real);
  await sweepOver(stage);
  await settle(real);
  const before = footprint(stage);
  for (let look = 0; look < 3; look += 1) {
    await sweepOver(stage);
    await settle(real);
  }
  expect(footprint(stage)).toEqual(before);
  expect(await stage.heldBack()).toBeNull();
};

const footprint = (stage: ModelStage) => ({
  created: stage.forge.created(),
  reviews: stage.reviews().size,
  bodies: stage.forge.comments().map(({ body }) => body),
});

const sayingsOf = ({ forge }: ModelStage) => {
  const comments = forge.comments();
  const { own } = readOwnMarkers({ comments, key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] });
  return own.flatMap(({ payload }) => (payload.kind === 'finding' ? [`${payload.id} ${payload.fp}`] : []));
};

const judge = ({ stage }: Real, { orders }: Model): void => {
  const { grants, threads, runsUsed, roundsUsed } = stage.history();
  const policy = withGrants(POLICY, grants);
  const { rounds } = policy;
  // Silent reviews give their run back, and are no rounds.
  expect(stage.reviews().size).toBeLessThanOrEqual(maxStartedRuns(policy));
  expect(runsUsed).toBeLessThanOrEqual(maxStartedRuns(policy));
  expect(roundsUsed).toBeLessThanOrEqual(rounds.max);
  expect([stage.again(), stage.unreported()]).toEqual([[], []]);
  const said = sayingsOf(stage);
  expect(said).toEqual([...new Set(said)]);
  const standing = threads.filter(({ state }) => state !== 'resolved').map(({ fingerprint }) => fingerprint);
  expect(standing).toEqual([...new Set(standing)]);
  // An order is answered once, a closed change request has its last word each time.
  expect(stage.forge.created()).toBeLessThanOrEqual(maxComments(policy) + orders);
};

describe('X15: whatever happens in whatever order', () => {
  test(
    'guard comes to rest, stays within the bound and says no finding twice',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.commands(DEEDS, { maxCommands: 30, size: 'max' }),
          fc.integer({ min: 1, max: 1_000_000 }),
          async (deeds, seed) => {
            const real = await begin(seed);
            const model: Model = { orders: 0, heads: 0 };
            await fc.asyncModelRun(() => ({ model, real }), deeds);
            await comeToRest(real);
            judge(real, model);
          },
        ),
        propertyRuns(12, 200),
      );
    },
    propertyMs(120_000),
  );
});
