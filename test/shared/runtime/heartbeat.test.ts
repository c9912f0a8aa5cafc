import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startHeartbeat } from '../../../shared/runtime/heartbeat.ts';
import { createLastAnswers } from '../../../shared/runtime/last-answers.ts';
import { createHeartbeats, HEARTBEAT_STALE_MS } from '../../../shared/store/board/heartbeats.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { VERSION } from '../../../shared/version.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('fixpoint');

test('a process is listed with its version and notices, again and again, and leaves when it stops', async () => {
  let nowMs = 1_000;
  const notices = ['no cage', 'x'.repeat(2_000)];
  const answers = createLastAnswers(() => 900);
  answers.note('forge main', '502');
  answers.note('forge main', '200');
  const start = (service: string) =>
    startHeartbeat({
      redis,
      keys,
      service,
      notices: () => notices,
      answers: answers.list,
      nowMs: () => nowMs,
      everyMs: 5,
    });
  const [guard, poster] = [start('guard'), start('poster')];
  const list = async () => createHeartbeats(redis, keys).list(nowMs);
  await expect.poll(async () => (await list()).map(({ service }) => service)).toEqual(['guard', 'poster']);
  expect((await list())[0]).toEqual({
    service: 'guard',
    instance: expect.stringMatching(/^[0-9a-f]{12}$/),
    version: VERSION,
    startedAtMs: 1_000,
    atMs: 1_000,
    notices: ['no cage', 'x'.repeat(1_000)],
    answers: [{ of: 'forge main', outcome: '200', atMs: 900 }],
  });
  nowMs = 9_000;
  await expect.poll(async () => (await list()).map(({ atMs }) => atMs)).toEqual([9_000, 9_000]);
  await guard.stop();
  await expect.poll(async () => (await list()).map(({ service }) => service)).toEqual(['poster']);
  await poster.stop();
});

test('a process that was killed is dropped when its entry is old, and so is an entry of another version', async () => {
  const heartbeats = createHeartbeats(redis, keys);
  const dead = { service: 'guard', instance: 'a', version: '1', startedAtMs: 0, atMs: 0, notices: [], answers: [] };
  await heartbeats.beat(dead);
  await redis.hset(keys.board('heartbeats'), 'other x', '{"v":2}');
  expect(await heartbeats.list(HEARTBEAT_STALE_MS)).toEqual([dead]);
  expect(await heartbeats.list(HEARTBEAT_STALE_MS + 1)).toEqual([]);
  expect(await redis.hlen(keys.board('heartbeats'))).toBe(0);
});

test('what forges and models answered is bounded', () => {
  const answers = createLastAnswers(() => 5);
  for (let index = 0; index < 60; index += 1) answers.note(`forge ${index}`, 'x'.repeat(200));
  answers.note('forge 0', '200');
  expect(answers.list().length).toBe(50);
  expect(answers.list().find(({ of }) => of === 'forge 0')).toEqual({ of: 'forge 0', outcome: '200', atMs: 5 });
  expect(Math.max(...answers.list().map(({ outcome }) => outcome.length))).toBe(80);
});
