/**
 * A storm of webhooks: 1,000 deliveries of 20 KB offered every second for 30 seconds, 200 distinct events a second, each
 * five times under ids of its own, in both dialects. Nothing may be answered otherwise than 2xx, and every event must be
 * one entry of an inbox and one wake-up. Latency counts from the moment at which a delivery was due.
 */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Redis } from 'ioredis';
import { QUEUES } from '../../shared/queue/contracts.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { startRedis } from '../support/redis.ts';
import { makeSettings } from '../support/settings.ts';
import { memoryOf, PROJECT, type Server, startServer } from './ingress.ts';
import { type Measured, printTable, quantile } from './numbers.ts';
import { type Answers, offerLoad } from './offer-load.ts';
import { makeStormEvent, type StormEvent, type StormSecrets } from './storm-deliveries.ts';

const PER_SECOND = 1_000;
const TIMES_EACH = 5;
const DISTINCT_PER_SECOND = PER_SECOND / TIMES_EACH;
const SECONDS = 30;
const WARM_UP_SECONDS = 2;

export const makeStormSettings = (redisUrl: string) => {
  const gitlab = randomBytes(24).toString('hex');
  const made = makeSettings({
    forgeUrl: 'http://127.0.0.1:1',
    token: 'not-used-here',
    projects: [PROJECT],
    dataDir: tmpdir(),
    redisUrl,
    more: `
[[forge]]
id = "lab"
kind = "gitlab"
base_url = "http://127.0.0.1:2"
token_env = "SIM_TOKEN"
webhook_secret_envs = ["LAB_WEBHOOK_SECRET"]
projects = ["${PROJECT}"]
`,
  });
  const settings = { ...made, env: { ...made.env, LAB_WEBHOOK_SECRET: gitlab } };
  return { settings, secrets: { forgejo: made.webhookSecret, gitlab } };
};

type Storm = { readonly server: Server; readonly secrets: StormSecrets; readonly firstNumber: number };

/** The five deliveries of an event come a fifth of a second apart. */
const blow = async ({ server, secrets, firstNumber }: Storm, seconds: number): Promise<Answers> => {
  const events = new Map<number, StormEvent>();
  const eventOf = (index: number): StormEvent => {
    const second = Math.floor(index / PER_SECOND);
    const number = firstNumber + second * DISTINCT_PER_SECOND + (index % DISTINCT_PER_SECOND);
    const event = events.get(number) ?? makeStormEvent(number, PROJECT, secrets);
    events.set(number, event);
    if (index % PER_SECOND >= PER_SECOND - DISTINCT_PER_SECOND) events.delete(number);
    return event;
  };
  const make = (index: number) => {
    const delivery = eventOf(index).deliver();
    return server.name.startsWith('bare') ? { ...delivery, path: '/webhooks/sim' } : delivery;
  };
  return offerLoad({ port: server.port, perSecond: PER_SECOND, count: seconds * PER_SECOND, make });
};

type Outcome = { readonly row: Measured; readonly answers: Answers };

const measure = async (storm: Storm, seconds: number): Promise<Outcome> => {
  const { server } = storm;
  await blow(storm, WARM_UP_SECONDS);
  const warmBytes = await memoryOf(server.child);
  const firstNumber = storm.firstNumber + WARM_UP_SECONDS * DISTINCT_PER_SECOND;
  const answers = await blow({ ...storm, firstNumber }, seconds);
  const row = {
    name: server.name,
    perSecond: [answers.latencyMs.length / answers.seconds],
    p99Ms: [quantile(answers.latencyMs, 0.99)],
    memoryBytes: (await memoryOf(server.child)) - warmBytes,
  };
  return { row, answers };
};

const countKeys = async (redis: Redis, pattern: string): Promise<readonly string[]> => {
  const found = new Set<string>();
  for await (const keys of redis.scanStream({ match: pattern, count: 1_000 })) for (const key of keys) found.add(key);
  return [...found];
};

/** The ids of the wake-ups that the job of the key is, or that guard adds because of it. */
const wakeIdsOf = async (redis: Redis, key: string): Promise<readonly string[]> => {
  const job = QUEUES.guard.payload.parse(JSON.parse((await redis.hget(key, 'data')) ?? 'null'));
  return job.kind === 'wake_all' ? job.wakeUps.map(({ jobId }) => jobId) : [key.slice(key.indexOf('wake-'))];
};

/** Events in inboxes and wake-ups that follow them. Wake-ups with the same id are one job. */
export const countJobs = async (url: string) => {
  const redis = connectRedis(url, 'worker');
  const { queues } = createKeys('fixpoint');
  try {
    const inboxes = await countKeys(redis, `${queues}:cr:*:inbox`);
    const lengths = await Promise.all(inboxes.map(async (key) => redis.llen(key)));
    const jobs = await countKeys(redis, `${queues}:guard:wake-*`);
    const wakes = new Set((await Promise.all(jobs.map(async (key) => wakeIdsOf(redis, key)))).flat());
    return { events: lengths.reduce((sum, length) => sum + length, 0), wakes: wakes.size };
  } finally {
    redis.disconnect();
  }
};

const report = ({ row, answers }: Outcome): void => {
  const statuses = [...answers.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  const late = [0.5, 0.99, 1].map((share) => quantile(answers.latencyMs, share).toFixed(1)).join(' / ');
  console.log(`${row.name}: ${statuses}; median / p99 / last ms: ${late}`);
};

/** Throws when an answer was no 2xx, or when an event became anything but one job. */
export const benchStorm = async (seconds = SECONDS): Promise<void> => {
  const redis = await startRedis();
  const { settings, secrets } = makeStormSettings(redis.url);
  const servers: Server[] = [];
  try {
    const outcomes: Outcome[] = [];
    for (const [name, kind] of [
      ['bare route, one queue.add', 'bare'] as const,
      ['Fixpoint ingress', 'fixpoint'] as const,
    ]) {
      const server = await startServer(name, kind, settings);
      servers.push(server);
      outcomes.push(await measure({ server, secrets, firstNumber: 1 }, seconds));
    }
    const how = `${PER_SECOND}/s offered for ${seconds} s, ${DISTINCT_PER_SECOND} distinct a second, each ${TIMES_EACH} times`;
    printTable(
      `storm: ${how}, 20 KB, both dialects; memory: growth`,
      'answered/s',
      outcomes.map(({ row }) => row),
    );
    outcomes.forEach(report);
    const bad = outcomes.flatMap(({ answers }) =>
      [...answers.statuses.keys()].filter((status) => !status.startsWith('2')),
    );
    if (bad.length > 0) throw new Error(`answers that are no 2xx: ${[...new Set(bad)].join(', ')}`);
    const wanted = (seconds + WARM_UP_SECONDS) * DISTINCT_PER_SECOND;
    const { events, wakes } = await countJobs(redis.url);
    console.log(`${wanted} meanings became ${events} events and ${wakes} wake-ups`);
    if (events !== wanted || wakes !== wanted) throw new Error('an event is not exactly one job');
  } finally {
    for (const { child } of servers) child.kill();
    await redis.stop();
  }
};
