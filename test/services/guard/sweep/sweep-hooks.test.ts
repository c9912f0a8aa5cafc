import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { findHookHealth, judgeHooks, leadsHere, showHookHealth } from '../../../../services/guard/sweep/sweep-hooks.ts';
import type { Hook } from '../../../../shared/forge/port-listing.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { NOW } from '../../../shared/rounds/builders.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { createSweepBench, FORGE, type SweepBench } from '../sweep-bench.ts';

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});
beforeEach(async () => void (await redis.flushall()));

const HOUR = 3_600_000;
const URL_HERE = `https://review.example/sub/webhooks/${FORGE}`;
const hook = (state: Hook['state'], untilMs: number | null = null, url = URL_HERE): Hook => ({
  url,
  state,
  untilMs,
  lacks: [],
  unfit: null,
});
const without = (...lacks: readonly string[]): Hook => ({ ...hook('working'), lacks });
const unfit = (why: string): Hook => ({ ...hook('working'), unfit: why });

describe('webhooks that lead here', () => {
  test.each<[ours: readonly Hook[], isComplete: boolean, health: string, untilMs: number | null]>([
    [[hook('working')], true, 'working', null],
    [[hook('off'), hook('working')], false, 'working', null],
    [[hook('off')], true, 'disabled', null],
    [[hook('off')], false, 'disabled', null],
    [[hook('off'), hook('paused', 7)], true, 'disabled', 7],
    [[hook('paused', 9), hook('paused', 7)], true, 'disabled', 7],
    [[], true, 'missing', null],
    [[], false, 'hidden', null],
  ])('%j, complete %s: %s until %s', (ours, isComplete, health, untilMs) => {
    expect(judgeHooks(ours, isComplete)).toEqual({ health, untilMs, lacks: [] });
  });

  test.each<[what: string, ours: readonly Hook[], health: string, lacks: readonly string[]]>([
    ['one that sends too few events', [without('a', 'b')], 'partial', ['a', 'b']],
    ['two that share them', [without('a'), without('b')], 'working', []],
    ['two that lack the same one', [without('a', 'b'), without('b', 'c')], 'partial', ['b']],
    ['one whose deliveries cannot be taken', [unfit('forms')], 'unfit', ['forms']],
    ['one that is unfit beside one that is well', [unfit('forms'), hook('working')], 'working', []],
    ['one that is off and would send everything', [without('a'), hook('off')], 'partial', ['a']],
  ])('F-R4: %s', (_, ours, health, lacks) => {
    expect(judgeHooks(ours, true)).toEqual({ health, untilMs: null, lacks });
  });

  test.each<[url: string, leads: boolean]>([
    ['https://review.example/webhooks/main', true],
    ['http://10.0.0.1:8080/webhooks/main/', true],
    ['https://proxy.example/fixpoint/webhooks/main?x=y', true],
    ['https://review.example/webhooks/mainly', false],
    ['https://review.example/webhooks/other', false],
    ['https://ci.example/hook?to=/webhooks/main', false],
    ['not an address', false],
    ['', false],
  ])('%j: %s', (url, leads) => {
    expect(leadsHere('main', url)).toBe(leads);
  });
});

const gauge = async ({ deps }: SweepBench): Promise<number | undefined> => {
  // The bench has whole metrics.
  const { values } = await (
    deps.metrics.hooksDisabled as unknown as { get(): Promise<{ values: { value: number }[] }> }
  ).get();
  return values[0]?.value;
};
const warnings = (bench: SweepBench): readonly string[] => bench.lines('a webhook does not work');

test.each<
  [what: string, ofProject: readonly Hook[] | null, ofGroup: readonly Hook[] | null, health: string, asked: number]
>([
  ['its own hides nothing', [hook('off')], null, 'disabled', 2],
  ['its group hides its webhooks, and it has none', [], null, 'hidden', 2],
  ['it hides its own', null, [hook('working')], 'hidden', 1],
  ['its own works', [hook('working')], null, 'working', 1],
  ['that of its group works', [hook('off')], [hook('working')], 'working', 2],
])('the health of a project where %s', async (_what, ofProject, ofGroup, health, asked) => {
  const owners: string[] = [];
  const found = await findHookHealth(FORGE, { id: 1, path: 'acme/shop' }, async (owner) => {
    owners.push(owner.kind);
    return owner.kind === 'project' ? ofProject : ofGroup;
  });
  expect([found.health, owners.length]).toEqual([health, asked]);
});

describe('the sweep reports', () => {
  const ENABLE = 'send a test in Settings, Webhooks: a successful response enables it again';
  const ADD = 'add a webhook to the path /webhooks/main of the ingress, unless an instance webhook points there';

  test.each<[name: string, hooks: readonly Hook[], health: string, fix: string]>([
    ['a disabled webhook', [hook('off')], 'disabled', ENABLE],
    ['a webhook that the forge has paused', [hook('paused', NOW + 60_000)], 'disabled', ENABLE],
    ['a missing webhook', [hook('working', null, 'https://ci.example/')], 'missing', ADD],
    [
      'a webhook without the events that matter',
      [without('note_events')],
      'partial',
      'enable the missing events in Settings, Webhooks',
    ],
    ['a webhook without a secret', [unfit('it has no secret')], 'unfit', 'fix it in Settings, Webhooks'],
  ])('%s once, with the way to mend it', async (_, hooks, health, fix) => {
    const bench = createSweepBench(redis, { projects: ['acme/*'], kind: 'gitlab' });
    const shop = bench.addProject('acme/shop');
    shop.hooks = hooks;
    for (let review = 1; review <= 4; review += 1) {
      await bench.sweep();
      bench.tick(HOUR);
    }
    expect(warnings(bench)).toHaveLength(1);
    expect(JSON.parse(warnings(bench)[0] ?? '')).toMatchObject({
      level: 'warn',
      forge: FORGE,
      project: shop.id,
      path: 'acme/shop',
      health,
      fix,
    });
    expect(await gauge(bench)).toBe(1);
    expect(await bench.deps.hooks.all(FORGE)).toMatchObject([{ projectId: shop.id, path: 'acme/shop', health }]);
  });

  test('it again after it was mended and broke again', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    const shop = bench.addProject('acme/shop');
    const counts: unknown[] = [];
    for (const state of ['off', 'working', 'off'] as const) {
      shop.hooks = [hook(state)];
      await bench.sweep();
      counts.push([warnings(bench).length, await gauge(bench)]);
      bench.tick(HOUR);
    }
    expect(counts).toEqual([
      [1, 1],
      [1, 0],
      [2, 1],
    ]);
  });

  test('nothing for a project whose group has a working webhook', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    bench.addProject('acme/team/shop').hooks = [hook('off')];
    bench.groupHooks.set('acme', [hook('working')]);
    await bench.sweep();
    expect(bench.asked.filter((each) => each.startsWith('hooks'))).toEqual([
      'hooks acme/team/shop',
      'hooks of group acme/team',
      'hooks of group acme',
    ]);
    expect(warnings(bench)).toEqual([]);
  });

  test('no missing webhook while a group hides its own', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    bench.addProject('acme/shop').hooks = [];
    bench.groupHooks.set('acme', null);
    await bench.sweep();
    expect(warnings(bench)).toEqual([]);
    expect(await gauge(bench)).toBe(0);
  });

  test('in one line for each process that it may not see webhooks', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    for (const path of ['acme/shop', 'acme/site']) bench.addProject(path).hooks = null;
    for (let review = 1; review <= 3; review += 1) {
      await bench.sweep();
      bench.tick(HOUR);
    }
    expect(bench.lines('the account is not allowed to see webhooks')).toHaveLength(1);
    expect(warnings(bench)).toEqual([]);
  });
});

describe('the question for webhooks', () => {
  const questions = (bench: SweepBench): number => bench.asked.filter((each) => each.startsWith('hooks acme')).length;

  test('is put at most once an hour for each project', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    bench.addProject('acme/shop').hooks = [hook('working')];
    const counts: number[] = [];
    for (const passes of [0, HOUR / 2, HOUR / 2 - 1, 1]) {
      bench.tick(passes);
      await bench.sweep();
      counts.push(questions(bench));
    }
    expect(counts).toEqual([1, 1, 1, 2]);
  });

  test('is not put again within the hour when the forge fails at it', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    const shop = bench.addProject('acme/shop');
    Object.defineProperty(shop, 'hooks', {
      get: () => {
        throw new Error('the forge fails at this');
      },
    });
    await bench.sweep();
    await bench.sweep();
    expect(questions(bench)).toBe(1);
  });

  test('leaves a project out of the count a day after it was asked about last', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    bench.addProject('acme/shop').hooks = [];
    await bench.sweep();
    await showHookHealth(bench.deps);
    expect(await gauge(bench)).toBe(1);
    bench.tick(23 * HOUR);
    await showHookHealth(bench.deps);
    expect(await gauge(bench)).toBe(1);
    bench.tick(HOUR);
    await showHookHealth(bench.deps);
    expect(await gauge(bench)).toBe(0);
  });
});
