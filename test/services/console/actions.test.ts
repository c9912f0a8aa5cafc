/** Pausing and continuing a project, and granting a round: what they do, and who may do it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { createInbox } from '../../../shared/queue/inbox.ts';
import { createAudit } from '../../../shared/store/board/audit.ts';
import { createPauses } from '../../../shared/store/board/pauses.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { at, type ConsoleStage, form, openConsole, storeScene, TOKENS } from './console-stage.ts';

let redis: TestRedis;
let stage: ConsoleStage;

beforeAll(async () => {
  redis = await startRedis();
});

beforeEach(async () => {
  await stage?.close();
  stage = await openConsole({ redisUrl: redis.url });
  await stage.source.redis.flushall();
  await storeScene(stage.source);
});

afterAll(async () => {
  await stage?.close();
  await redis?.stop();
});

const SHOP = { forge: 'sim', projectId: 4 };
const WRITER = { authorization: `Bearer ${TOKENS.write}` };
const WISH = '0123456789abcdef';

type Fields = Readonly<Record<string, string>>;

const send = async (url: string, fields: Fields, headers: Fields = WRITER) => {
  const { headers: type, payload } = form(fields);
  return stage.app.inject({ method: 'POST', url, headers: { ...type, ...headers }, payload });
};

const pausing = async (action: string, headers: Fields = WRITER, more: Fields = {}) =>
  send('/projects/sim/4/pause', { action, ...more }, headers);

const granting = async (headers: Fields = WRITER, more: Fields = {}) =>
  send('/change-requests/sim/4/7/grant', { wish: WISH, ...more }, headers);

const isPaused = async (): Promise<boolean> => createPauses(stage.source.redis, stage.source.keys).isPaused(SHOP);

const inboxOf = async (number: number) => {
  const { redis: connection, keys, queues } = stage.source;
  return (await createInbox(connection, keys, queues.enqueue).read(at(number))).events;
};

const audit = async () => createAudit(stage.source.redis, stage.source.keys).list();

const page = async (url: string, headers: Fields = WRITER): Promise<string> =>
  (await stage.app.inject({ url, headers })).body;

describe.each([
  ['pausing a project', async (headers: Fields, more?: Fields) => pausing('pause', headers, more)],
  ['granting a round', async (headers: Fields, more?: Fields) => granting(headers, more)],
])('%s', (_what, act) => {
  it.each([
    ['with the token that only reads', () => ({ authorization: `Bearer ${TOKENS.read}` }), 403],
    ['without a token', () => ({}), 401],
    ['with a wrong token', () => ({ authorization: 'Bearer wrong' }), 401],
    ['from another site', () => ({ ...WRITER, origin: 'https://evil.example', host: 'console.example' }), 403],
  ])('%s does nothing', async (_who, headers, status) => {
    expect((await act(headers())).statusCode).toBe(status);
    expect([await isPaused(), await inboxOf(7), await audit()]).toEqual([false, [], []]);
  });

  it.each([
    ['no value', {}],
    ['a wrong value', { csrf: 'x'.repeat(43) }],
  ])('of a session does nothing with %s in its form', async (_value, fields) => {
    const { cookie } = await stage.logIn(TOKENS.write);
    expect((await act({ cookie }, fields)).statusCode).toBe(403);
    expect([await isPaused(), await inboxOf(7), await audit()]).toEqual([false, [], []]);
  });

  it('of a session that only reads does nothing, even with the right value in its form', async () => {
    const { cookie, csrf } = await stage.logIn(TOKENS.read);
    expect((await act({ cookie }, { csrf })).statusCode).toBe(403);
    expect([await isPaused(), await inboxOf(7), await audit()]).toEqual([false, [], []]);
  });

  it('of a session that may act is written down', async () => {
    const { cookie, csrf } = await stage.logIn(TOKENS.write);
    expect((await act({ cookie }, { csrf })).statusCode).toBe(303);
    const [entry] = await audit();
    expect(entry).toMatchObject({ address: '127.0.0.1', outcome: expect.stringMatching(/^(?:paused|requested)$/) });
    expect(stage.lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'action on the console', ...entry }]);
  });
});

test('a paused project says so on every page that shows it, and which change requests wait', async () => {
  expect((await pausing('pause')).headers.location).toBe('/projects/sim/4?done=paused');
  expect((await pausing('pause')).headers.location).toBe('/projects/sim/4?done=already_paused');
  await createPauses(stage.source.redis, stage.source.keys).hold(at(8), 5);
  expect(await page('/')).toMatch(/is paused by the operator&#39;s page, from 127\.0\.0\.1:\s+1 change request waits/);
  expect(await page('/')).toContain('project paused');
  expect(await page('/change-requests/sim/4/8')).toContain('The project is paused');
  expect(await page('/projects')).toContain('badge warn">paused');
  expect(await page('/projects/sim/4?done=paused')).toContain('The project is paused.');
});

test('continuing wakes guard for each change request that waited, and the page Now forgets the pause', async () => {
  await pausing('pause');
  const pauses = createPauses(stage.source.redis, stage.source.keys);
  for (const number of [7, 8]) await pauses.hold(at(number), number);
  expect((await pausing('continue')).headers.location).toBe('/projects/sim/4?done=continued');
  expect([await inboxOf(7), await inboxOf(8), await inboxOf(9)]).toMatchObject([
    [{ source: 'wake' }],
    [{ source: 'wake' }],
    [],
  ]);
  expect(await page('/')).not.toContain('is paused');
  expect((await pausing('continue')).headers.location).toBe('/projects/sim/4?done=not_paused');
  expect((await audit()).map(({ action, outcome }) => [action, outcome])).toEqual([
    ['continue_project', 'not_paused'],
    ['continue_project', 'continued'],
    ['pause_project', 'paused'],
  ]);
});

test('a round is granted by one event, also if the form is sent twice', async () => {
  expect((await granting()).headers.location).toBe('/change-requests/sim/4/7?done=requested');
  expect((await granting()).headers.location).toBe('/change-requests/sim/4/7?done=requested_before');
  expect(await inboxOf(7)).toMatchObject([
    { source: 'forge', kind: 'review_requested', id: `grant-${WISH}`, byOperator: true, grantsRound: true },
  ]);
  const { body } = await stage.app.inject({ url: '/change-requests/sim/4/7?done=requested_before', headers: WRITER });
  expect(body).toContain('no further round is requested');
});

test('each page offers another round, and only to those who may act', async () => {
  const { cookie } = await stage.logIn(TOKENS.write);
  const wishes = [
    await page('/change-requests/sim/4/7', { cookie }),
    await page('/change-requests/sim/4/7', { cookie }),
  ].map((body) => /name="wish" value="([0-9a-f]{16})"/.exec(body)?.[1]);
  expect(new Set(wishes).size).toBe(2);
  const reader = await stage.logIn(TOKENS.read);
  expect(await page('/change-requests/sim/4/7', { cookie: reader.cookie })).not.toContain('Grant a round');
  expect(await page('/projects/sim/4', { cookie: reader.cookie })).not.toContain('Pause this project');
  expect(await page('/projects/sim/4', { cookie })).toContain('Pause this project');
});

test.each([
  ['an unknown action', '/projects/sim/4/pause', { action: 'obliterate' }, 400],
  ['a project of an unknown forge', '/projects/other/4/pause', { action: 'pause' }, 404],
  ['a project that is written in another way', '/projects/sim/04/pause', { action: 'pause' }, 400],
  ['a wish of another form', '/change-requests/sim/4/7/grant', { wish: '../..' }, 400],
  ['a change request that is not known', '/change-requests/sim/4/99/grant', { wish: WISH }, 404],
])('%s is refused', async (_what, url, fields, status) => {
  expect((await send(url, fields)).statusCode).toBe(status);
  expect([await isPaused(), await audit()]).toEqual([false, []]);
});
