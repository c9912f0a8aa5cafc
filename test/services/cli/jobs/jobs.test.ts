import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import { createQueues, type Queues } from '../../../../shared/queue/enqueue.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { startStage, Refusal } from '../../../shared/queue/worker-stage.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { makeSettings } from '../../../support/settings.ts';
import { useRedis } from '../../../support/use-redis.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 60_000;
const OF = { forge: 'sim', projectId: 4, number: 7 };

let redis: Redis;
let url = '';
useRedis((connection, address) => {
  redis = connection;
  url = address;
});

const keys = createKeys('fixpoint');
let folder: ReturnType<typeof temporaryFolder>;
let configFile = '';
let queues: Queues;

beforeAll(async () => {
  folder = temporaryFolder();
  configFile = join(folder.path, 'fixpoint.toml');
  const wish = { forgeUrl: 'http://127.0.0.1:1', token: 'unused-token', projects: ['a/b'], dataDir: folder.path };
  await writeFile(configFile, makeSettings(wish).toml);
});
afterAll(() => folder?.dispose());

beforeEach(async () => {
  queues = createQueues(redis, keys.queues);
  const stage = startStage(
    url,
    async () => {
      throw new Refusal({ kind: 'fail' });
    },
    { prefix: keys.queues },
  );
  for (const jobId of ['one', 'two']) {
    await queues.enqueue('guard', { v: 1, kind: 'wake', changeRequest: OF }, { jobId });
    await stage.ended(jobId);
  }
  await stage.close();
  await queues.enqueue('guard', { v: 1, kind: 'sweep' }, { jobId: 'three' });
});

const jobs = async (...args: readonly string[]) =>
  runCli(['jobs', ...args, '--config', configFile], { env: { REDIS_URL: url } });

const statesOf = async (): Promise<readonly string[]> =>
  Promise.all(['one', 'two', 'three'].map(async (id) => queues.queue('guard').getJobState(id)));

const withoutTimes = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replaceAll(/\d+ s\b/g, 'N s');

describe('fixpoint jobs', () => {
  test(
    'counts what each queue holds, and says where the failed jobs are',
    async () => {
      const { code, stdout } = await jobs();
      const lines = withoutTimes(stdout).split('\n');
      expect([code, lines.slice(0, 2), lines.slice(7)]).toEqual([
        0,
        [
          'queue          waiting        active         for explorers  delayed        failed         oldest waiting',
          'guard          1              0              0              0              2              N s',
        ],
        ['', 'fixpoint jobs --failed lists the failed jobs', ''],
      ]);
    },
    RUN_MS,
  );

  test(
    'F-F9: lists the failed jobs with code, meaning and change request, for people and for programs',
    async () => {
      const { stdout } = await jobs('--failed');
      expect(withoutTimes(stdout)).toBe(
        `2 failed jobs, the newest first\n${['two', 'one']
          .map(
            (id) =>
              `guard/${id}\n  REFUSAL at TIME after 1 attempt, change request sim/4/7\n` +
              '  An unforeseen error. The log has its message and stack; please report it.\n',
          )
          .join('')}`,
      );
      const found = JSON.parse((await jobs('--failed', '--format', 'json')).stdout);
      expect(found.queues[0]).toMatchObject({
        queue: 'guard',
        states: { waiting: { count: 1 }, active: { count: 0, oldestSeconds: null }, failed: { count: 2 } },
      });
      expect([found.failed.total, found.failed.jobs[0]]).toMatchObject([
        2,
        { id: 'guard/two', code: 'REFUSAL', attempts: 1, changeRequest: 'sim/4/7', isStale: false },
      ]);
      expect(JSON.parse((await jobs('--format', 'json')).stdout).failed).toBeNull();
    },
    RUN_MS,
  );

  test(
    'F-F9: runs one job again or all of them, and drops one',
    async () => {
      const again = await jobs('retry', 'guard/one');
      expect([again.code, again.stdout]).toEqual([0, 'guard/one is queued again\n']);
      expect(await statesOf()).toEqual(['waiting', 'failed', 'waiting']);
      expect((await jobs('retry', 'guard/one')).code).toBe(1);
      expect((await jobs('retry', '--all')).stdout).toBe('guard/two is queued again\n');
      expect((await jobs('retry', '--all')).stdout).toBe('no job has failed\n');
      expect(await statesOf()).toEqual(['waiting', 'waiting', 'waiting']);
      const kept = await jobs('drop', 'guard/two');
      expect([kept.code, kept.stdout]).toEqual([1, 'guard/two is not failed: it waits, runs or is done\n']);
    },
    RUN_MS,
  );

  test(
    'F-F9: drops a failed job, once',
    async () => {
      const dropped = await jobs('drop', 'guard/two');
      expect([dropped.code, dropped.stdout]).toEqual([0, 'guard/two is removed\n']);
      expect((await jobs('drop', 'guard/two')).stdout).toBe('guard/two does not exist (any more)\n');
      expect(await statesOf()).toEqual(['failed', 'unknown', 'waiting']);
    },
    RUN_MS,
  );

  test(
    'refuses what it does not understand, in words',
    async () => {
      for (const [args, words] of [
        [['--format', 'xml'], '--format: expected text or json'],
        [['retry'], 'expected either the id of a job or --all'],
        [['retry', 'guard/one', '--all'], 'expected either the id of a job or --all'],
        [['retry', 'nonsense'], 'expected QUEUE/ID with one of the queues guard, review, explore, post, fix, notify'],
        [['drop', 'other/one'], 'expected QUEUE/ID'],
        [['drop', 'guard/'], 'expected QUEUE/ID'],
      ] as const) {
        const { code, stdout, stderr } = await jobs(...args);
        expect([args, code, stdout, stderr]).toEqual([args, 2, '', expect.stringContaining(words)]);
      }
    },
    RUN_MS,
  );
});
