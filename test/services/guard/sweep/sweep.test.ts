/** The sweep over a real Redis: what it wakes, what it leaves alone, in which order and how fast it asks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { ForgeRequestError } from '../../../../shared/forge/errors.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { at, NOW, run, sha } from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { createSweepBench, FORGE, headOf } from '../sweep-bench.ts';

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

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const later = (delayMs: number) =>
  new ForgeRequestError({ code: 'FORGE_RATE_LIMITED', message: '', disposition: { kind: 'retry_after', delayMs } });
const down = () => new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: '', disposition: { kind: 'retry' } });
const gone = () => new ForgeRequestError({ code: 'FORGE_NOT_FOUND', message: '', disposition: { kind: 'fail' } });

describe('what the sweep wakes', () => {
  test('is what guard has never seen, and what changed since it was last looked at', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/shop'] });
    const shop = bench.addProject('acme/shop', [1, 2, 3]);
    await bench.save(bench.at(shop, 2), { reviewed: [at(headOf(shop, 2))] });
    await bench.save(bench.at(shop, 3), { reviewed: [at(sha('an older head'))] });
    await bench.sweep();
    expect(await bench.woken(shop, 1, 2, 3)).toEqual([['sweep'], ['sweep'], ['sweep']]);
    for (const number of [1, 2, 3]) await bench.save(bench.at(shop, number), { reviewed: [at(headOf(shop, number))] });
    bench.tick(5 * MINUTE);
    await bench.sweep();
    // For their status.
    expect(await bench.woken(shop, 1, 2, 3)).toEqual([['sweep'], ['sweep'], ['sweep']]);
    bench.tick(2 * MINUTE);
    shop.open.set(2, bench.now() - MINUTE);
    await bench.sweep();
    expect(await bench.woken(shop, 1, 2, 3)).toEqual([[], ['sweep'], []]);
  });

  test('is a run past its deadline, whose own event was lost, although nothing changed', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/shop'] });
    const shop = bench.addProject('acme/shop', [1]);
    await bench.save(bench.at(shop, 1), { running: run({ head: headOf(shop, 1), deadlineMs: NOW + 10 * MINUTE }) });
    await bench.sweep();
    await bench.woken(shop, 1);
    bench.tick(5 * MINUTE);
    await bench.sweep();
    expect(await bench.woken(shop, 1)).toEqual([[]]);
    bench.tick(5 * MINUTE);
    await bench.sweep();
    expect(await bench.woken(shop, 1)).toEqual([['sweep']]);
  });

  test('is an overdue run of one that is closed by now and holds a slot', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/shop'] });
    const shop = bench.addProject('acme/shop');
    await bench.deps.slots.acquire(bench.at(shop, 1), 1, NOW);
    await bench.save(bench.at(shop, 1), { slotHeld: true, running: run({ deadlineMs: NOW + MINUTE }) });
    await bench.sweep();
    expect(await bench.woken(shop, 1)).toEqual([[]]);
    bench.tick(MINUTE);
    await bench.sweep();
    expect(await bench.woken(shop, 1)).toEqual([['wake']]);
  });

  test('is the same where a project is named beside its group', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*', 'acme/shop'] });
    const shop = bench.addProject('acme/shop', [1]);
    await bench.sweep();
    expect(await bench.woken(shop, 1)).toEqual([['sweep']]);
    // The first page of open change requests was read once, and is remembered.
    expect(bench.asked.filter((each) => each.startsWith('open'))).toEqual(['open acme/shop 1']);
    const memory = await bench.deps.memories.load(bench.deps.keys.ofProject(FORGE, shop.id, 'swept'));
    expect(memory?.open.map(({ number }) => number)).toEqual([1]);
    expect(bench.lines('failed')).toEqual([]);
  });

  test('is everything again after Redis was wiped', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*'] });
    const shop = bench.addProject('acme/shop', [1]);
    await bench.sweep();
    await redis.flushall();
    await bench.sweep();
    expect(await bench.woken(shop, 1)).toEqual([['sweep']]);
  });
});

describe('what the sweep asks', () => {
  test('is one request for each project where nothing has changed', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/shop', 'acme/site'] });
    const [shop, site] = [bench.addProject('acme/shop', [1, 2]), bench.addProject('acme/site', [7])];
    await bench.sweep();
    for (const number of [1, 2]) await bench.save(bench.at(shop, number), { reviewed: [at(headOf(shop, number))] });
    // A draft, say: guard knows it and wants nothing.
    await bench.save(bench.at(site, 7), {});
    await bench.woken(shop, 1, 2);
    await bench.woken(site, 7);
    // A status is looked at again soon after the verdict, and then ever more rarely.
    for (const looksAtStatus of [true, true, false, true, false, false]) {
      bench.tick(5 * MINUTE);
      bench.asked.splice(0);
      await bench.sweep();
      expect(bench.asked.toSorted()).toEqual(['open acme/shop 1', 'open acme/site 1']);
      expect((await bench.woken(shop, 1, 2)).map((woken) => woken.length)).toEqual(looksAtStatus ? [1, 1] : [0, 0]);
      expect(await bench.woken(site, 7)).toEqual([[]]);
    }
  });

  test('concerns the configured groups and projects, and nothing beside them', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/*', 'Other/One'] });
    for (const path of ['acme/shop', 'acme/team/site', 'other/one', 'other/two', 'acme2/x']) bench.addProject(path);
    await bench.sweep();
    expect(bench.asked.filter((each) => each.startsWith('open')).toSorted()).toEqual([
      'open acme/shop 1',
      'open acme/team/site 1',
      'open other/one 1',
    ]);
  });

  test('concerns everything that the account is a member of, where the settings say so', async () => {
    const bench = createSweepBench(redis, { projects: ['*'], pageSize: 2 });
    for (const path of ['a/a', 'b/b', 'c/c']) bench.addProject(path);
    await bench.sweep();
    expect(bench.asked.slice(0, 2)).toEqual(['projects * 1', 'projects * 2']);
    expect(bench.asked.filter((each) => each.startsWith('open'))).toHaveLength(3);
  });

  test('begins with what was active last', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'] });
    for (const [path, active] of [
      ['a/old', 1],
      ['a/new', 3],
      ['a/middle', 2],
    ] as const)
      bench.addProject(path).activeAtMs = active;
    await bench.sweep();
    expect(bench.asked.filter((each) => each.startsWith('open'))).toEqual([
      'open a/new 1',
      'open a/middle 1',
      'open a/old 1',
    ]);
  });

  test('keeps to the rate of the settings on average', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'], requestsPerSecond: 2 });
    for (let index = 1; index <= 20; index += 1) bench.addProject(`a/p${index}`).hooks = null;
    const restedMs = await bench.sweep();
    // The last slice needs no rest behind it.
    expect(restedMs).toBeGreaterThanOrEqual(((bench.asked.length - 4) / 2) * 1000);
    expect(restedMs).toBeLessThanOrEqual((bench.asked.length / 2) * 1000);
    expect(bench.asked).toHaveLength(41);
  });

  test('counts what guard will ask, and ends a long list of change requests although each needs a rest', async () => {
    const bench = createSweepBench(redis, { projects: ['a/p'], requestsPerSecond: 0.5 });
    const project = bench.addProject('a/p', [1, 2, 3, 4]);
    const restedMs = await bench.sweep();
    expect(await bench.woken(project, 1, 2, 3, 4)).toEqual([['sweep'], ['sweep'], ['sweep'], ['sweep']]);
    expect(restedMs).toBeGreaterThan(4 * 3 * 2_000 - 2_000);
  });

  test('waits as long as the forge says, and goes on with the same project', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'] });
    const [one, two] = [bench.addProject('a/one', [1]), bench.addProject('a/two', [1])];
    one.activeAtMs = NOW;
    one.failure = later(90_000);
    expect(await bench.slice('job')).toEqual({ kind: 'defer', delayMs: 90_000 });
    expect(await bench.woken(two, 1)).toEqual([[]]);
    one.failure = null;
    bench.tick(45_000);
    expect(await bench.slice('job')).toEqual({ kind: 'defer', delayMs: 45_000 });
    bench.tick(45_000);
    expect(await bench.slice('job')).toEqual({ kind: 'done' });
    expect([...(await bench.woken(one, 1)), ...(await bench.woken(two, 1))]).toEqual([['sweep'], ['sweep']]);
  });
});

describe('a sweep that is interrupted', () => {
  const paths = Array.from({ length: 9 }, (_, index) => `a/p${index + 1}`);

  test('goes on where it stopped, before it begins anew, and leaves nobody out', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'], requestsPerSecond: 2 });
    for (const [index, path] of paths.entries()) Object.assign(bench.addProject(path), { activeAtMs: NOW - index });
    const looked = (): readonly string[] =>
      bench.asked.filter((each) => each.startsWith('open')).map((each) => each.split(' ')[1] ?? '');
    const rounds: (readonly string[])[] = [];
    for (let review = 1; review <= 5; review += 1) {
      bench.asked.splice(0);
      // The process dies after two executions.
      await bench.slice(`job-${review}`);
      bench.tick(2_000);
      await bench.slice(`job-${review}`);
      rounds.push(looked());
      bench.tick(5 * MINUTE);
    }
    const order = rounds.flat();
    expect(new Set(order.slice(0, paths.length))).toEqual(new Set(paths));
    expect(order.slice(0, 3)).toEqual(['a/p1', 'a/p2', 'a/p3'].slice(0, order.length));
  });

  test('is not begun a second time while it rests', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'], requestsPerSecond: 1 });
    for (const path of paths) bench.addProject(path);
    expect((await bench.slice('first')).kind).toBe('defer');
    bench.asked.splice(0);
    expect(await bench.slice('second')).toEqual({ kind: 'done' });
    expect(bench.asked).toEqual([]);
    await bench.sweep('first');
    expect(bench.asked.filter((each) => each.startsWith('open'))).toHaveLength(paths.length);
  });

  test('comes again while another process is at it, if it was its own', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'], requestsPerSecond: 1 });
    for (const path of paths) bench.addProject(path);
    await bench.slice('first');
    await bench.deps.underSweepLease(FORGE, never(), async () => {
      expect(await bench.slice('first')).toEqual({ kind: 'defer', delayMs: 500 });
      expect(await bench.slice('second')).toEqual({ kind: 'done' });
    });
  });
});

describe('a project that cannot be read', () => {
  test('does not keep the others from being swept, and stands in the log', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'] });
    const broken = bench.addProject('a/broken', [1]);
    const fine = bench.addProject('a/fine', [1]);
    Object.assign(broken, { failure: down(), activeAtMs: NOW });
    await bench.sweep();
    expect(await bench.woken(fine, 1)).toEqual([['sweep']]);
    expect(bench.lines('a project could not be swept')).toHaveLength(1);
  });

  test('ends the sweep when it is one of three in a row, and the rest comes first the next time', async () => {
    const bench = createSweepBench(redis, { projects: ['a/*'] });
    const all = [1, 2, 3, 4, 5].map((index) => bench.addProject(`a/p${index}`, [1]));
    for (const [index, project] of all.entries()) Object.assign(project, { activeAtMs: NOW - index, failure: down() });
    await bench.sweep();
    expect(bench.lines('a project could not be swept')).toHaveLength(3);
    for (const project of all) project.failure = null;
    bench.asked.splice(0);
    await bench.sweep();
    const opened = bench.asked.filter((each) => each.startsWith('open'));
    expect(opened.slice(0, 2)).toEqual(['open a/p4 1', 'open a/p5 1']);
    expect(opened).toHaveLength(5);
  });

  test('is looked up by its path again after it was gone', async () => {
    const bench = createSweepBench(redis, { projects: ['a/p'] });
    const project = bench.addProject('a/p', [1]);
    await bench.sweep();
    project.failure = gone();
    await bench.sweep();
    project.failure = null;
    bench.asked.splice(0);
    await bench.sweep();
    expect(bench.asked[0]).toBe('find a/p');
  });

  test.each(['a/typo', 'typo/*'])('because nothing is called %j is told in the log', async (pattern) => {
    const bench = createSweepBench(redis, { projects: [pattern] });
    bench.addProject('a/p');
    await bench.sweep();
    expect(bench.lines('does not exist or is not visible')).toHaveLength(1);
  });
});

describe('the repair of slots', () => {
  test('takes back a slot whose holder does not know of it and offers it to whoever waits', async () => {
    const bench = createSweepBench(redis, { projects: ['a/p'] });
    const project = bench.addProject('a/p');
    const { slots } = bench.deps;
    expect(await slots.acquire(bench.at(project, 1), 1, NOW)).toBe(true);
    expect(await slots.acquire(bench.at(project, 2), 1, NOW)).toBe(false);
    await bench.save(bench.at(project, 1), { slotHeld: false });
    await bench.sweep();
    expect(await slots.running(FORGE, project.id)).toEqual([]);
    expect(await bench.woken(project, 1, 2)).toEqual([[], ['wake']]);
  });

  test('leaves a slot with a holder that knows of it', async () => {
    const bench = createSweepBench(redis, { projects: ['a/p'] });
    const project = bench.addProject('a/p');
    const { slots } = bench.deps;
    await slots.acquire(bench.at(project, 1), 1, NOW);
    await slots.acquire(bench.at(project, 2), 1, NOW);
    await bench.save(bench.at(project, 1), { slotHeld: true, running: run({ deadlineMs: NOW + HOUR }) });
    await bench.sweep();
    expect(await slots.running(FORGE, project.id)).toEqual([1]);
    expect(await bench.woken(project, 1, 2)).toEqual([[], []]);
  });

  test('offers a free slot that nobody was told of', async () => {
    const bench = createSweepBench(redis, { projects: ['a/p'] });
    const project = bench.addProject('a/p');
    const { slots, keys } = bench.deps;
    await slots.acquire(bench.at(project, 1), 1, NOW);
    await slots.acquire(bench.at(project, 2), 1, NOW);
    await redis.del(keys.ofProject(FORGE, project.id, 'running'));
    await bench.sweep();
    expect(await bench.woken(project, 2)).toEqual([['wake']]);
  });

  test('does not touch a holder that somebody is working on', async () => {
    const bench = createSweepBench(redis, { projects: ['a/p'] });
    const project = bench.addProject('a/p');
    const { slots, underLease } = bench.deps;
    await slots.acquire(bench.at(project, 1), 1, NOW);
    await underLease(bench.at(project, 1), never(), async () => bench.sweep());
    expect(await slots.running(FORGE, project.id)).toEqual([1]);
  });
});

describe('a project that an operator has paused', () => {
  test('is left alone, and looked at again when it continues', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/shop', 'acme/other'] });
    const [shop, other] = [bench.addProject('acme/shop', [1]), bench.addProject('acme/other', [2])];
    const of = { forge: FORGE, projectId: shop.id };
    await bench.deps.pauses.pause(of, { atMs: 1, by: 'console' });
    await bench.sweep();
    expect([await bench.woken(shop, 1), await bench.woken(other, 2)]).toEqual([[[]], [['sweep']]]);
    await bench.deps.pauses.end(of);
    await bench.sweep();
    expect(await bench.woken(shop, 1)).toEqual([['sweep']]);
  });

  test('has its waiting change requests woken if whoever continued it died', async () => {
    const bench = createSweepBench(redis, { projects: ['acme/shop'] });
    const shop = bench.addProject('acme/shop', []);
    const of = { forge: FORGE, projectId: shop.id };
    await bench.deps.pauses.pause(of, { atMs: 1, by: 'console' });
    await bench.deps.pauses.hold(bench.at(shop, 9), 5);
    await bench.deps.pauses.end(of);
    await bench.sweep();
    expect(await bench.woken(shop, 9)).toEqual([['wake']]);
    expect(await bench.deps.pauses.held(of, 10)).toEqual([]);
  });
});
