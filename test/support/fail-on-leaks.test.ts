import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectRedis } from '../../shared/store/redis.ts';
import { type Evidence, failOnLeaks } from './fail-on-leaks.ts';
import { startRedis, type TestRedis } from './redis.ts';

const secret = `${randomBytes(9).toString('hex')}/ü+&${randomBytes(9).toString('hex')}`;
const bytes = Buffer.from(secret, 'utf8');

const SHAPES = {
  'as it is': secret,
  'in base64': Buffer.from(`user:${secret}`).toString('base64'),
  'in hex': bytes.toString('hex'),
  'URL-encoded': encodeURIComponent(secret),
  reversed: Array.from(secret).toReversed().join(''),
} as const;

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});
afterEach(async () => redis.flushall());
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

const clean = (): Evidence => ({
  sim: {
    requests: [{ method: 'POST', path: '/comments', body: '{"body":"Looks good."}' }],
    violations: [],
    quickActions: [],
  },
  lines: ['{"msg":"decided"}'],
  connect: () => connectRedis(server.url, 'worker'),
  secrets: ['some-other-secret', secret],
});

const posted = (request: Partial<Evidence['sim']['requests'][number]>): Evidence => {
  const evidence = clean();
  const requests = evidence.sim.requests.map((each) => ({ ...each, ...request }));
  return { ...evidence, sim: { ...evidence.sim, requests } };
};

/** By place: evidence with `text` in that place. */
const PLACES: Readonly<Record<string, (text: string) => Promise<Evidence>>> = {
  'a log line': async (text) => ({ ...clean(), lines: ['{"msg":"decided"}', JSON.stringify({ msg: 'failed', text })] }),
  'a posted body': async (text) => posted({ body: JSON.stringify({ body: `See ${text}.` }) }),
  'a request to the model': async (text) => ({
    ...clean(),
    modelRequests: [{ path: '/v1/messages', body: JSON.stringify({ messages: [{ content: `See ${text}.` }] }) }],
  }),
  'an address that was called': async (text) => posted({ path: `/comments?token=${text}` }),
  'a string in Redis': async (text) => {
    await redis.set('fixpoint:plan', JSON.stringify({ text }));
    return clean();
  },
  'a job in Redis': async (text) => {
    await redis.hset('{fixpoint}:post:1', { data: JSON.stringify({ text }), name: 'post' });
    return clean();
  },
  'a list in Redis': async (text) => {
    await redis.rpush('fixpoint:inbox', 'first', JSON.stringify({ text }));
    return clean();
  },
  'a stream in Redis': async (text) => {
    await redis.xadd('{fixpoint}:post:events', '*', 'failedReason', text);
    return clean();
  },
  'the name of a key in Redis': async (text) => {
    await redis.set(`fixpoint:${text}`, '1');
    return clean();
  },
};

const CASES = Object.keys(PLACES).flatMap((place) => Object.keys(SHAPES).map((shape) => ({ place, shape })));

describe('the search at the end of a stage', () => {
  test.each(CASES)('finds a secret $shape in $place', async ({ place, shape }) => {
    const text = Object.entries(SHAPES).find(([name]) => name === shape)?.[1] ?? '';
    const evidence = await PLACES[place]?.(text);
    if (evidence === undefined || text === '') throw new Error('nothing was planted');
    await expect(failOnLeaks(evidence)).rejects.toThrow(new RegExp(`^secret 2 of 2 ${shape}`, 'm'));
  });

  test('never repeats what it finds', async () => {
    const outcome = await failOnLeaks({ ...clean(), lines: [secret] }).catch(String);
    expect(outcome).toContain('secret 2 of 2');
    expect(outcome).not.toContain(secret);
  });

  test('is content with a clean stage, also one without Redis', async () => {
    await redis.set('fixpoint:plan', '{"text":"nothing"}');
    await expect(failOnLeaks(clean())).resolves.toBeUndefined();
    await expect(failOnLeaks({ ...clean(), connect: null })).resolves.toBeUndefined();
  });

  test.each<[name: string, patch: Partial<Evidence>, says: string]>([
    ['without a log line', { lines: [] }, 'nothing to search'],
    ['without a request', { sim: { requests: [], violations: [], quickActions: [] } }, 'nothing to search'],
    ['without a secret', { secrets: [] }, 'nothing to search for'],
  ])('is not content %s', async (_name, patch, says) => {
    await expect(failOnLeaks({ ...clean(), ...patch })).rejects.toThrow(says);
  });

  test('fails on what the forge would refuse and on a command', async () => {
    const { sim } = clean();
    const quickActions = [{ actor: 'fixpoint', where: 'shop#1', line: '/merge' }];
    const evidence = { ...clean(), sim: { ...sim, violations: ['POST /nowhere'], quickActions } };
    await expect(failOnLeaks(evidence)).rejects.toThrow('POST /nowhere\nquick action: /merge');
  });
});
