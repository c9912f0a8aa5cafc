/** Rows of the acceptance matrix about the connection to Redis, its file and its replica. */
import { readdir, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRedis } from '../../shared/store/redis.ts';
import { createRandom } from '../sim/forgejo/world.ts';
import { until } from '../support/fleet-queues.ts';
import { awaitVerdict, openStory, readerView, statusOf, type Told } from '../support/fleet-story.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import type { ReaderView } from '../support/undisturbed.ts';
import { REPO, type RedisStage, startRedisStage } from './redis-stage.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const START_MS = 120_000;
const TEST_MS = DEEP ? 900_000 : 240_000;
const VERDICT_MS = 120_000;
const PERSISTENT = ['--appendonly', 'yes', '--save', '', '--repl-diskless-sync-delay', '0'];

let primary: TestRedis;
let wire: TcpProxy;
let stage: RedisStage;
let undisturbed: ReaderView;
let opened = 0;

const open = async (): Promise<Told> => {
  opened += 1;
  return openStory(stage, REPO, `change-${opened}`);
};

const openMany = async (count: number): Promise<readonly Told[]> => {
  const all: Told[] = [];
  for (let index = 0; index < count; index += 1) all.push(await open());
  return all;
};

/** Checks that the result for a reader equals the undisturbed one. */
const endAsUndisturbed = async (all: readonly Told[]): Promise<void> => {
  for (const told of all) {
    await awaitVerdict(stage, told, VERDICT_MS);
    expect(readerView(stage, told)).toEqual(undisturbed);
  }
};

const announced = async (told: Told): Promise<void> =>
  stage.sim.until(() => statusOf(stage, told) !== undefined, VERDICT_MS);

beforeAll(async () => {
  primary = await startRedis({ settings: PERSISTENT });
  wire = await startTcpProxy(primary.port);
  stage = await startRedisStage(wire.port);
  const told = await open();
  await awaitVerdict(stage, told, VERDICT_MS);
  undisturbed = readerView(stage, told);
}, START_MS);

afterAll(async () => {
  wire?.heal();
  await stage?.finish();
  await wire?.close();
  await primary?.stop();
}, START_MS);

const INTERRUPTIONS = [
  { what: 'is cut', how: (): void => wire.cut(), ms: DEEP ? 5_000 : 1_000 },
  // Longer than a job's lock: its worker has lost the job when the connection works again.
  { what: 'stands still', how: (): void => wire.stall(), ms: DEEP ? 60_000 : 4_000 },
];

describe.sequential('a Redis that cannot be reached, or has lost something', () => {
  test.each(INTERRUPTIONS)(
    'Q8: a service goes on when its wire to Redis $what under way, and nothing is lost or said twice',
    async ({ how, ms }) => {
      const [first, ...rest] = await openMany(3);
      if (first === undefined) throw new Error('nothing was opened');
      await announced(first);
      how();
      await pause(ms);
      wire.heal();
      await endAsUndisturbed([first, ...rest]);
    },
    TEST_MS,
  );

  test(
    'Q5: starts on a file whose tail is lost, and the sweep brings back what was in it',
    async () => {
      const random = createRandom(5);
      for (let cut = 0; cut < (DEEP ? 20 : 2); cut += 1) {
        const all = await openMany(2);
        await stage.sim.settled();
        await primary.kill();
        await loseTail(primary.dataDir, 1 + Math.floor(random() * 4_096));
        await primary.restart();
        await endAsUndisturbed(all);
      }
    },
    TEST_MS,
  );

  test(
    'Q16: a replica that lags behind takes over, and the sweep brings back what it never heard of',
    async () => {
      const link = await startTcpProxy(primary.port);
      const replica = await startRedis({ settings: [...PERSISTENT, '--replicaof', '127.0.0.1', `${link.port}`] });
      const client = connectRedis(replica.url, 'worker');
      try {
        await until(async () => (await client.info('replication')).includes('master_link_status:up'));
        link.stall();
        const from = stage.sim.deliveries.length;
        const all = await openMany(DEEP ? 30 : 4);
        await stage.sim.settled();
        // A loaded machine may answer some deliveries with 503 in time; those need not be stored.
        const answers = stage.sim.deliveries.slice(from).map(({ status }) => status ?? 0);
        expect(answers.filter((status) => status === 202).length).toBeGreaterThan(0);
        await primary.kill();
        await client.replicaof('NO', 'ONE');
        const known = await Promise.all(all.map(async ({ number }) => client.keys(`*:cr:*.${number}:*`)));
        expect(known.flat()).toEqual([]);
        wire.retarget(replica.port);
        await endAsUndisturbed(all);
      } finally {
        client.disconnect();
        await stage.finish();
        await replica.stop();
        await link.close();
      }
    },
    TEST_MS,
  );
});

/** Cuts the end of the newest incremental file, which holds the last second. */
const loseTail = async (dataDir: string, bytes: number): Promise<void> => {
  const folder = path.join(dataDir, 'appendonlydir');
  const numberOf = (name: string): number => Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? -1);
  const [newest] = (await readdir(folder)).toSorted((one, other) => numberOf(other) - numberOf(one));
  if (newest === undefined) throw new Error('there is no append-only file');
  const file = path.join(folder, newest);
  const { size } = await stat(file);
  await truncate(file, Math.max(0, size - bytes));
};
