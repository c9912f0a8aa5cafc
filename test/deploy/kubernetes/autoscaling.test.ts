/** What KEDA reads is there: keys of the queues in a real Redis, with the user of the guide, and metrics of the services. */
import type { Redis } from 'ioredis';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NEW_REVIEW } from '../../../services/guard/send-review.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { createQueues } from '../../../shared/queue/enqueue.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { ExploreJob, ReviewJob } from '../../../shared/queue/contracts.ts';
import { readProjectFile } from '../../conventions/source.ts';
import { useRedis } from '../../support/use-redis.ts';
import { everything, peersOf } from '../service-facts.ts';
import { type Manifest, one, rendered } from './rendered.ts';

const production = rendered('production');
const triggersOf = (service: string): readonly Manifest[] =>
  one(production, 'ScaledObject', `fixpoint-${service}`)['spec'].triggers;
const trigger = (service: string, name: string): Manifest =>
  triggersOf(service).find((each) => each['name'] === name) ?? {};

const keys = createKeys(everything.redis.prefix);
const SCALED = [
  ['reviewer', 'review'],
  ['explorer', 'explore'],
] as const;

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const of = { forge: 'sim', projectId: 1, number: 1 };
const run = { runId: 'a1b2c3d4e5f6', changeRequest: of, head: 'a'.repeat(40), v: 1 };
const review = ReviewJob.parse({
  ...run,
  review: 1,
  attempt: 1,
  mustFinish: false,
  budget: { maxTurns: 8, maxRuntimeS: 600 },
});
const exploration = ExploreJob.parse({
  ...run,
  questionId: 'a1b2c3d4e5f6-1-1',
  budget: { maxTurns: 8, maxRuntimeS: 600 },
});

/** Counts as KEDA does: lists and sorted sets. */
const COUNT = `local kind = redis.call('type', KEYS[1]).ok
if kind == 'zset' then return redis.call('zcard', KEYS[1]) end
return redis.call('llen', KEYS[1])`;

const connectAsScaler = async (): Promise<Redis> => {
  const rules = /^ACL SETUSER fixpoint-keda on >PASSWORD (?<rules>.+)$/m.exec(
    readProjectFile('deploy/guide/kubernetes.md'),
  )?.groups?.['rules'];
  await redis.call('ACL', 'SETUSER', 'fixpoint-keda', 'reset', 'on', '>word', ...(rules ?? '').split(' '));
  const scaler = redis.duplicate({ username: 'fixpoint-keda', password: 'word', enableReadyCheck: false });
  onTestFinished(() => scaler.disconnect());
  return scaler;
};

describe('the lists that KEDA counts', () => {
  beforeEach(async () => {
    const queues = createQueues(redis, keys.queues);
    await queues.enqueue('review', review, { jobId: 'review-a', priority: NEW_REVIEW });
    await queues.enqueue('explore', exploration, { jobId: 'explore-a' });
    await queues.close();
  });

  it.each(SCALED)(
    'of the %s has the waiting jobs of the queue %s, and the user of the guide may count it',
    async (name) => {
      const scaler = await connectAsScaler();
      expect(await scaler.eval(COUNT, 1, trigger(name, 'waiting')['metadata'].listName)).toBe(1);
      expect(await scaler.eval(COUNT, 1, trigger(name, 'active')['metadata'].listName)).toBe(0);
    },
  );

  it('are all that this user may read, and it changes nothing', async () => {
    const scaler = await connectAsScaler();
    const waiting: string = trigger('reviewer', 'waiting')['metadata'].listName;
    const refused = /NOPERM/;
    await expect(scaler.del(waiting)).rejects.toThrow(refused);
    await expect(scaler.zrange(waiting, '0', '-1')).rejects.toThrow(refused);
    await expect(scaler.eval(COUNT, 1, keys.outages)).rejects.toThrow(refused);
    await expect(scaler.eval("return redis.call('del', KEYS[1])", 1, waiting)).rejects.toThrow(
      /NOPERM|can't run this command/,
    );
  });

  it.each(SCALED)('of the %s: running jobs of %s keep as many processes as they fill', (name, queue) => {
    const { listName, listLength } = trigger(name, 'active')['metadata'];
    expect({ listName, listLength }).toEqual({
      listName: `${keys.queues}:${queue}:active`,
      listLength: String(everything.queues.concurrency[queue]),
    });
  });
});

describe('the metric of the age', () => {
  it.each(SCALED)('of the %s is one that guard serves for the queue %s', (name, queue) => {
    const { query } = trigger(name, 'age')['metadata'];
    const [, metric = '', labels = ''] = /^max\((\w+)\{(.*)\}\)$/.exec(query) ?? [];
    const { registry } = createMetrics({ service: 'test', processMetrics: false });
    expect(registry.getSingleMetric(metric)).toMatchObject({ labelNames: ['queue', 'state'] });
    expect(labels).toBe(`queue="${queue}",state="waiting"`);
  });
});

describe('a scaled service', () => {
  it.each(SCALED)('%s is never without a process, shrinks slowly, and needs no number of its own', (name) => {
    const { spec } = one(production, 'ScaledObject', `fixpoint-${name}`);
    expect(spec.scaleTargetRef).toEqual({ name: `fixpoint-${name}` });
    expect(spec.minReplicaCount).toBeGreaterThanOrEqual(2);
    expect(spec.fallback.replicas).toBe(spec.minReplicaCount);
    const { scaleDown } = spec.advanced.horizontalPodAutoscalerConfig.behavior;
    expect(scaleDown.stabilizationWindowSeconds).toBeGreaterThanOrEqual(everything.agent.reviewer.maxRuntimeS);
    expect(peersOf(name)).toContain('models');
  });

  it('finds the address and the user of Redis in one Secret', () => {
    const { spec } = one(production, 'TriggerAuthentication', 'fixpoint-redis');
    expect(spec.secretTargetRef.map(({ parameter, name, key }: Manifest) => [parameter, name, key])).toEqual(
      ['address', 'username', 'password', 'tls'].map((each) => [each, 'fixpoint-autoscaler', each]),
    );
    const named = SCALED.flatMap(([name]) => triggersOf(name).flatMap((each) => each['authenticationRef']?.name ?? []));
    expect(new Set(named)).toEqual(new Set(['fixpoint-redis']));
  });
});
