/** What the pages say, for a scene that guard could have stored. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventOf } from '../../../services/console/routes/live-now.ts';
import { readNow } from '../../../services/console/read/now.ts';
import { createOutageStore } from '../../../shared/outage/outages.ts';
import { createActivity, MAX_RECENT } from '../../../shared/store/board/activity.ts';
import { createHeartbeats } from '../../../shared/store/board/heartbeats.ts';
import { createHookReports, type HookReport } from '../../../shared/store/sweep/sweep-hooks.ts';
import { changeRequestKey } from '../../../shared/vocabulary/ids.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { at, type ConsoleStage, openConsole, store, storeScene, TOKENS, viewOf } from './console-stage.ts';

let redis: TestRedis;
let stage: ConsoleStage;

beforeAll(async () => {
  redis = await startRedis();
  stage = await openConsole({ redisUrl: redis.url });
});

beforeEach(async () => {
  await stage.source.redis.flushall();
});

afterAll(async () => {
  await stage?.close();
  await redis?.stop();
});

const textOf = async (url: string): Promise<string> => {
  const { body, statusCode } = await stage.app.inject({ url, headers: { authorization: `Bearer ${TOKENS.read}` } });
  expect(statusCode).toBe(200);
  return plain(body);
};

const plain = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,])/g, '$1')
    .trim();

test('Now groups what is in progress by what it waits for', async () => {
  await storeScene(stage.source);
  const now = await readNow(stage.source);
  expect(now.rows.map(({ of, group, why }) => [of.number, group, why])).toEqual([
    [10, 'ci', 'review 1 is ready and waits for the CI of its head, attempt 1'],
    [9, 'quiet', 'waits for pushes to settle'],
    [8, 'waiting', 'waits for a free slot: 1 of 1 slots taken by 7'],
    [7, 'running', 'review 2 is under review, attempt 1'],
  ]);
  const text = await textOf('/');
  expect(text).toContain('4 change requests in progress.');
  expect(text).toContain('Charge the card only once running sim/4/7');
  expect(text).toContain('waits for a free slot: 1 of 1 slots taken by 7');
});

test('F-F10: an outage is named at the top of the page, and on the page of a change request', async () => {
  await storeScene(stage.source);
  const { redis: connection, keys, nowMs } = stage.source;
  const patience = { patienceMs: 60_000, baseMs: 1_000, capMs: 2_000, nowMs, random: () => 0.5 };
  const outage = { what: 'forge', code: 'FORGE_UNAVAILABLE', retryAfterMs: null } as const;
  await createOutageStore(connection, keys, patience).meet('post.one', outage);
  for (const url of ['/', '/change-requests/sim/4/7'])
    expect(await textOf(url)).toMatch(/outage: the forge cannot be used since .* \(FORGE_UNAVAILABLE\); work waits/);
});

test('an idle installation says so', async () => {
  expect(await textOf('/')).toContain('Nothing is in progress. Running 0 No review is running.');
});

test('a change request shows its threads, runs, decisions and hand-offs', async () => {
  await storeScene(stage.source);
  const text = await textOf('/change-requests/sim/4/7');
  for (const words of [
    'feedback open sim/4/7 by ann fix/charge-once into main',
    'Rounds 1 of 4 (1 granted)',
    'The retry charges the card twice P1 open F-001 src/billing/charge.ts:42 review 1 1 cycle',
    'rule no-leaked-handle',
    'review 2, attempt 1',
    'review 1: a finding is escalated',
    'acquire slot 1 min ago',
    'because of forge:pushed',
  ])
    expect(text).toContain(words);
});

test('the list has pages, and keeps only the newest', async () => {
  for (let number = 1; number <= 51; number += 1) await store(stage.source, number, { view: viewOf(number) });
  expect(await textOf('/change-requests')).toContain('page 1 of 2 Older');
  const second = await textOf('/change-requests?page=2');
  expect(second).toContain('sim/4/51');
  expect(second).toContain('Newer page 2 of 2');
  expect(await textOf('/change-requests?page=9')).toBe(second);
  const { redis: connection, keys } = stage.source;
  const many = Array.from({ length: MAX_RECENT + 50 }, (_, index) => [index, changeRequestKey(at(index + 1))]).flat();
  await connection.zadd(keys.board('recent'), ...many.map(String));
  const activity = createActivity(connection, keys);
  await activity.note(at(7), { isWorking: false, atMs: stage.clock.nowMs });
  expect((await activity.recent({ offset: 0, limit: 1 })).total).toBe(MAX_RECENT);
});

test('work that has ended leaves the list of work, and stays in the other', async () => {
  await storeScene(stage.source);
  const activity = createActivity(stage.source.redis, stage.source.keys);
  expect((await activity.working(10)).total).toBe(4);
  await activity.note(at(7), { isWorking: false, atMs: stage.clock.nowMs });
  expect((await activity.working(10)).page.map(({ number }) => number)).not.toContain(7);
  expect((await activity.recent({ offset: 0, limit: 10 })).page.map(({ number }) => number)).toContain(7);
});

test.each([
  ['sim/4/7', 303, '/change-requests/sim/4/7'],
  [' sim/4/7 ', 303, '/change-requests/sim/4/7'],
  ['sim/4', 400, undefined],
  ['../../x', 400, undefined],
  ['sim/4/7/8', 400, undefined],
])('%j is found as %s %s', async (ref, status, location) => {
  const url = `/change-requests/find?ref=${encodeURIComponent(ref)}`;
  const { statusCode, headers } = await stage.app.inject({ url, headers: { authorization: `Bearer ${TOKENS.read}` } });
  expect([statusCode, headers.location]).toEqual([status, location]);
});

test('the live part is sent as one event, while somebody looks, and to a limited number', async () => {
  await storeScene(stage.source);
  const event = eventOf(await readNow(stage.source));
  expect(event.endsWith('\n\n')).toBe(true);
  expect(event.slice(0, -2)).not.toContain('\n');
  const url = await stage.app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { authorization: `Bearer ${TOKENS.read}` };
  const leaving = new AbortController();
  const open = async () => fetch(`${url}/live`, { headers, signal: leaving.signal });
  const streams = await Promise.all(Array.from({ length: 20 }, open));
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  expect((await open()).status).toBe(503);
  const reader = streams[0]?.body?.getReader();
  let text = '';
  while (!text.includes('Charge the card')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  expect(text).toContain('retry: 3000');
  leaving.abort();
  await expect
    .poll(async () => (await fetch(`${url}/live`, { headers, signal: AbortSignal.timeout(200) })).status)
    .toBe(200);
});

test('Health names the processes, the services without one, and what does not work', async () => {
  const { redis: connection, keys, nowMs } = stage.source;
  const entry = {
    instance: 'a1',
    version: '9.9.9',
    startedAtMs: nowMs() - 7_200_000,
    atMs: nowMs(),
    notices: ['no <cage>'],
    answers: [{ of: 'forge sim', outcome: '200', atMs: nowMs() - 30_000 }],
  };
  for (const service of ['guard', 'poster', 'reviewer', 'explorer', 'console'])
    await createHeartbeats(connection, keys).beat({ ...entry, service });
  const newer = [
    { of: 'forge sim', outcome: '502', atMs: nowMs() - 5_000 },
    { of: 'model', outcome: 'MODEL_OVERLOADED', atMs: nowMs() - 60_000 },
  ];
  await createHeartbeats(connection, keys).beat({ ...entry, service: 'reviewer', answers: newer });
  const hook: HookReport = {
    v: 1,
    projectId: 4,
    path: 'acme/shop',
    health: 'disabled',
    untilMs: null,
    lacks: [],
    atMs: nowMs(),
  };
  await createHookReports(connection, keys).save('sim', hook);
  const text = await textOf('/health');
  for (const words of [
    'No process of these services has reported lately: ingress.',
    'guard running 9.9.9 for 2 h',
    'no &lt;cage&gt;',
    'acme/shop disabled sim',
    'forge sim 502 to reviewer 5 s ago',
    'model MODEL_OVERLOADED to reviewer 1 min ago',
  ])
    expect(text).toContain(words);
});
