/** bull-board on the operator's page: who sees it, and that it changes nothing. */
import { appRoutes } from '@bull-board/api/dist/routes.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { openBoard } from '../../../services/console/bull-board/board.ts';
import { loadPackages } from '../../../services/console/bull-board/load-packages.ts';
import { QUEUE_NAMES } from '../../../shared/queue/failed-jobs.ts';
import { PackagesMissingError } from '../../../shared/runtime/packages-missing.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { type ConsoleStage, form, openConsole, TOKENS } from './console-stage.ts';

const AT = '/queues/bull-board';
const JOB = 'wake-one';

let redis: TestRedis;
let stage: ConsoleStage;

beforeAll(async () => {
  redis = await startRedis();
  stage = await openConsole({ redisUrl: redis.url, more: 'bull_board = true\n' });
});

beforeEach(async () => {
  await stage.source.redis.flushall();
});

afterAll(async () => {
  await stage?.close();
  await redis?.stop();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const ask = async (url: string, headers: Readonly<Record<string, string>> = bearer(TOKENS.read)) =>
  stage.app.inject({ url, headers });

const addJob = async (data: Readonly<Record<string, unknown>>): Promise<void> => {
  await stage.source.queues.queue('guard').add('guard', data, { jobId: JOB });
};

const isWrite = ({ method }: (typeof appRoutes.api)[number]): boolean => ![method].flat().includes('get');

const urlOf = (route: string): string =>
  `${AT}${route}`
    .replace(':queueName', 'guard')
    .replace(':jobId', JOB)
    .replace(':queueStatus', 'failed')
    .replace(/:\w+/, 'x');

/** Every address with which bull-board itself changes something. */
const WRITES = appRoutes.api
  .filter(isWrite)
  .flatMap(({ method, route }) =>
    [route].flat().map((one) => [String([method].flat()[0]).toUpperCase(), urlOf(one)] as const),
  );

test('the board has every queue, and says of each that it is only for reading', async () => {
  const { statusCode, headers, body } = await ask(`${AT}/api/queues`);
  expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store']);
  const { queues } = JSON.parse(body) as { queues: { name: string; readOnlyMode: boolean; allowRetries: boolean }[] };
  expect(queues.map(({ name, readOnlyMode, allowRetries }) => [name, readOnlyMode, allowRetries])).toEqual(
    QUEUE_NAMES.map((name) => [name, true, false]),
  );
});

test('its page loads nothing from other servers, and keeps the policy of the other pages but for its base', async () => {
  for (const url of [AT, `${AT}/`, `${AT}/queue/guard`, `${AT}/queue/guard/${JOB}`]) {
    const { statusCode, headers, body } = await ask(url);
    expect([url, statusCode, headers['cache-control']]).toEqual([url, 200, 'no-store']);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';style-src 'self';script-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'self';frame-ancestors 'none'",
    );
    expect(body).not.toMatch(/https?:/);
    for (const [, name] of body.matchAll(/(?:src|href)="(static\/[^"]+)"/g))
      expect([name, (await ask(`${AT}/${name}`)).statusCode]).toEqual([name, 200]);
    expect(body.match(/static\/js/g)?.length).toBeGreaterThan(1);
    expect(body).toContain('rel="stylesheet" href="static/css/');
  }
  expect((await ask('/')).headers['content-security-policy']).toContain("base-uri 'none'");
});

describe('nothing is changed', () => {
  it('by any request with which bull-board itself would change something, also with the second token', async () => {
    await addJob({ v: 1 });
    const { cookie, csrf } = await stage.logIn(TOKENS.write);
    expect(WRITES.length).toBeGreaterThan(15);
    for (const [method, url] of WRITES)
      for (const headers of [bearer(TOKENS.read), bearer(TOKENS.write), { cookie }]) {
        const filled = form({ csrf });
        const wish = { method: method as 'PUT', url, payload: filled.payload };
        const answer = await stage.app.inject({ ...wish, headers: { ...filled.headers, ...headers } });
        expect([method, url, answer.statusCode, answer.headers['allow']]).toEqual([method, url, 405, 'GET, HEAD']);
        const json = { 'content-type': 'application/json', ...headers };
        expect((await stage.app.inject({ ...wish, payload: '{}', headers: json })).statusCode).toBe(405);
      }
    const queue = stage.source.queues.queue('guard');
    expect([await queue.getJobState(JOB), await queue.isPaused()]).toEqual(['waiting', false]);
  });

  it('by reading every address that it has', async () => {
    await addJob({ v: 1 });
    const before = await stage.source.redis.call('DUMP', `{${stage.config.redis.prefix}}:queues:guard:${JOB}`);
    for (const { route } of appRoutes.api.filter((each) => !isWrite(each)))
      for (const one of [route].flat()) expect((await ask(urlOf(one))).statusCode).toBeLessThan(500);
    const after = await stage.source.redis.call('DUMP', `{${stage.config.redis.prefix}}:queues:guard:${JOB}`);
    expect(after).toEqual(before);
  });

  it('by a form without a token', async () => {
    const answer = await stage.app.inject({ method: 'PUT', url: `${AT}/api/queues/pause` });
    expect(answer.statusCode).toBe(401);
  });
});

it.each([AT, `${AT}/`, `${AT}/api/queues`, `${AT}/api/queues/guard/${JOB}`, `${AT}/static/favicon.ico`])(
  '%s is closed without a token',
  async (url) => {
    await addJob({ v: 1 });
    for (const headers of [{}, bearer('wrong'.repeat(8))]) expect((await ask(url, headers)).statusCode).toBe(401);
    stage.clock.nowMs += 60_001;
  },
);

test('secrets are removed from jobs, wherever they are', async () => {
  await addJob({ v: 1, deep: [{ text: `see ${TOKENS.write} there` }], [TOKENS.read]: 1 });
  for (const url of [`${AT}/api/queues/guard/${JOB}`, `${AT}/api/queues?activeQueue=guard`]) {
    const { body } = await ask(url);
    expect(body).toContain('see [redacted] there');
    for (const token of Object.values(TOKENS)) expect(body).not.toContain(token);
  }
});

test('only files of the page itself are served', async () => {
  for (const name of [
    '../index.ejs',
    '..%2findex.ejs',
    '%2e%2e/index.ejs',
    'js',
    '',
    'nothing.js',
    '%2fetc%2fpasswd',
  ]) {
    const { statusCode, body } = await ask(`${AT}/static/${name}`);
    expect([name, statusCode]).toEqual([name, 404]);
    expect(body).not.toContain('root:');
  }
});

test('it is linked where it is switched on, and does not exist where it is not', async () => {
  expect((await ask('/queues')).body).toContain(`href="${AT}"`);
  const off = await openConsole({ redisUrl: redis.url });
  try {
    const headers = bearer(TOKENS.read);
    expect((await off.app.inject({ url: '/queues', headers })).body).not.toContain('bull-board');
    expect((await off.app.inject({ url: AT, headers })).statusCode).toBe(404);
  } finally {
    await off.close();
  }
});

test('names the command that installs the packages if they are missing', async () => {
  const missing = async () => Promise.reject(new Error('Cannot find package'));
  const { queues, clean } = stage.source;
  const refused = await openBoard({ queues, clean, load: async () => loadPackages(missing) }).catch((error) => error);
  // For this class, a service exits with 2.
  expect(refused).toBeInstanceOf(PackagesMissingError);
  expect(refused).toMatchObject({
    code: 'BULL_BOARD_NOT_INSTALLED',
    message:
      'bull-board is switched on by console.bull_board, but its packages are not installed: run `npm install @bull-board/api@9.10 @bull-board/ui@9.10`, or set console.bull_board = false',
  });
});
