/** The page of the queues, its actions and who may use them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { UnrecoverableError, Worker } from 'bullmq';
import { createAudit, KEPT_AUDIT_ENTRIES } from '../../../shared/store/board/audit.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { at, type ConsoleStage, form, openConsole, store, TOKENS } from './console-stage.ts';

let redis: TestRedis;
let stage: ConsoleStage;

beforeAll(async () => {
  redis = await startRedis();
});

beforeEach(async () => {
  await stage?.close();
  stage = await openConsole({ redisUrl: redis.url });
  await stage.source.redis.flushall();
});

afterAll(async () => {
  await stage?.close();
  await redis?.stop();
});

const JOB = 'wake-one/<b>';

/** A job that guard's worker gave up. */
const failJob = async (): Promise<void> => {
  const { queues, keys } = stage.source;
  await queues.queue('guard').add('guard', { v: 1, kind: 'wake', changeRequest: at(7) }, { jobId: JOB });
  const connection = connectRedis(redis.url, 'worker');
  const worker = new Worker(
    'guard',
    async () => {
      throw new UnrecoverableError('FORGE_FORBIDDEN');
    },
    { connection, prefix: keys.queues },
  );
  await new Promise((resolve) => worker.once('failed', resolve));
  await worker.close();
  connection.disconnect();
};

const stateOf = async (): Promise<string> => stage.source.queues.queue('guard').getJobState(JOB);

const act = async (action: string, headers: Readonly<Record<string, string>>, more: Record<string, string> = {}) => {
  const { headers: type, payload } = form({ action, queue: 'guard', job: JOB, ...more });
  return stage.app.inject({ method: 'POST', url: '/queues/jobs', headers: { ...type, ...headers }, payload });
};

test('F-F9: a failed job is shown with its code, what the code means and what helps', async () => {
  await failJob();
  const { body } = await stage.app.inject({ url: '/queues', headers: { authorization: `Bearer ${TOKENS.read}` } });
  expect(body).toContain('FORGE_FORBIDDEN');
  expect(body).toMatch(/token|permission/);
  expect(body).toContain('<a href="/change-requests/sim/4/7">');
  expect(body).toContain('wake-one/&lt;b&gt;');
  expect(body).not.toContain('<button class="quiet" name="action"');
});

describe('an action', () => {
  it.each([
    ['with the token that only reads', () => ({ authorization: `Bearer ${TOKENS.read}` }), 403],
    ['without a token', () => ({}), 401],
    ['with a wrong token', () => ({ authorization: 'Bearer wrong' }), 401],
  ])('%s does nothing', async (_who, headers, status) => {
    await failJob();
    expect((await act('drop', headers())).statusCode).toBe(status);
    expect(await stateOf()).toBe('failed');
    expect(await createAudit(stage.source.redis, stage.source.keys).list()).toEqual([]);
  });

  it('of a session that only reads does nothing, even with the right value in its form', async () => {
    await failJob();
    const { cookie, csrf } = await stage.logIn(TOKENS.read);
    expect((await act('drop', { cookie }, { csrf })).statusCode).toBe(403);
    expect(await stateOf()).toBe('failed');
  });

  it.each([
    ['no value', {}],
    ['a wrong value', { csrf: 'x'.repeat(43) }],
  ])('of a session that may act does nothing with %s in its form', async (_what, fields) => {
    await failJob();
    const { cookie } = await stage.logIn(TOKENS.write);
    expect((await act('drop', { cookie }, fields)).statusCode).toBe(403);
    expect(await stateOf()).toBe('failed');
  });

  it('drops a job, and leaves a line in the log and on the page', async () => {
    await failJob();
    const { cookie, csrf } = await stage.logIn(TOKENS.write);
    const done = await act('drop', { cookie }, { csrf });
    expect([done.statusCode, done.headers.location]).toEqual([303, '/queues?done=dropped']);
    expect(await stateOf()).toBe('unknown');
    const entry = { action: 'drop', about: `guard/${JOB}`, outcome: 'dropped', address: '127.0.0.1' };
    expect(await createAudit(stage.source.redis, stage.source.keys).list()).toMatchObject([entry]);
    expect(stage.lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'action on the console', ...entry }]);
    const { body } = await stage.app.inject({ url: '/actions', headers: { cookie } });
    expect(body).toContain('guard/wake-one/&lt;b&gt;');
  });

  it('runs a job again, once', async () => {
    await failJob();
    const headers = { authorization: `Bearer ${TOKENS.write}` };
    expect((await act('run_again', headers)).headers.location).toBe('/queues?done=queued');
    expect(await stateOf()).toBe('waiting');
    expect((await act('run_again', headers)).headers.location).toBe('/queues?done=not_failed');
  });

  it.each([
    ['an unknown action', { action: 'obliterate' }],
    ['an unknown queue', { queue: '../guard' }],
    ['no job', { job: '' }],
  ])('with %s is refused', async (_what, fields) => {
    const response = await act('drop', { authorization: `Bearer ${TOKENS.write}` }, fields);
    expect(response.statusCode).toBe(400);
  });

  it('is offered to a session that may act', async () => {
    await failJob();
    const { cookie } = await stage.logIn(TOKENS.write);
    const { body } = await stage.app.inject({ url: '/queues?done=%3Cb%3E', headers: { cookie } });
    expect(body).toContain('name="action" value="run_again"');
    expect(body).not.toContain('role="status"');
  });
});

test('the list of actions is bounded', async () => {
  const audit = createAudit(stage.source.redis, stage.source.keys);
  for (let index = 0; index < KEPT_AUDIT_ENTRIES + 3; index += 1)
    await audit.append({ atMs: index, action: 'drop', about: 'x', outcome: 'dropped', address: '::1' });
  const entries = await audit.list();
  expect([entries.length, entries[0]?.atMs]).toEqual([KEPT_AUDIT_ENTRIES, KEPT_AUDIT_ENTRIES + 2]);
});

test('the page of costs draws each day and adds up by project, model and role', async () => {
  const { redis: connection, nowMs, config } = stage.source;
  const today = new Date(nowMs()).toISOString().slice(0, 10);
  const key = `{${config.redis.prefix}}:spending:${today}`;
  await connection.hset(
    key,
    'sim|4|reviewer|house/<b>',
    '2,1000,400,50,2500000',
    'sim|5|explorer|small',
    '1,10,0,5,1000',
  );
  await connection.set(`{${config.redis.prefix}}:project:sim.4:name`, 'acme/shop');
  const spent = async (key: string, tokens: number, microUsd: number) =>
    connection.hset(`{${config.redis.prefix}}:spent:${key}`, { tokens, microUsd });
  await spent(`day:${today}`, 1_000, 250_000_000);
  await spent(`project:sim.4:${today}`, 1_000, 95_000_000);
  await spent('change-request:sim.4.7', 15_000_000, 1_000_000);
  await store(stage.source, 7, { state: {} });
  const { body } = await stage.app.inject({ url: '/cost?days=7', headers: { authorization: `Bearer ${TOKENS.read}` } });
  for (const part of [
    '$2.50 for 3 calls',
    'sim/acme/shop',
    'sim/5',
    'house/&lt;b&gt;',
    `<title>${today}: $2.50</title>`,
    '$250.00 of $500.00, 1,000 of 300,000,000 tokens',
    'sim/acme/shop, today: $95.00 of $100.00',
    'sim/acme/shop, change request 7',
    '$1.00 of $25.00, 15,000,000 of 15,000,000 tokens',
    'max="1" high="0.9" value="1.0000"',
  ])
    expect(body).toContain(part);
  expect(body.match(/class="bar"/g)).toHaveLength(7);
});
