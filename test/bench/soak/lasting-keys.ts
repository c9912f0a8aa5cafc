/** Lists the keys without an expiry, and tells which of them should have one. */
import type { Redis } from 'ioredis';
import { QUEUES } from '../../../shared/queue/contracts.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { kindOfKey, type KeyKind, WITHOUT_EXPIRY } from './key-kinds.ts';

export type KeyGroup = {
  readonly kind: string;
  readonly count: number;
  /** One of the keys. */
  readonly example: string;
  /** Why the keys may have no expiry. Null if they must have one. */
  readonly reason: string | null;
};

const PAGE = 1_000;
/** What `PTTL` answers for a key without an expiry: https://redis.io/docs/latest/commands/pttl/ */
const NO_EXPIRY = -1;

const listLasting = async (redis: Redis): Promise<readonly string[]> => {
  const lasting = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', PAGE);
    cursor = next;
    const answers = (await redis.pipeline(keys.map((key) => ['pttl', key])).exec()) ?? [];
    for (const [index, [error, ttl]] of answers.entries()) {
      if (error !== null) throw error;
      if (Number(ttl) === NO_EXPIRY) lasting.add(keys[index] ?? '');
    }
  } while (cursor !== '0');
  return [...lasting];
};

const LISTS = ['wait', 'active', 'paused'] as const;
const SORTED = ['prioritized', 'delayed', 'waiting-children', 'completed', 'failed'] as const;

/** Ids of the jobs that are in a state, as `queue:id`. Only these are removed by the library one day. */
const listJobs = async (redis: Redis, prefix: string): Promise<ReadonlySet<string>> => {
  const { queues } = createKeys(prefix);
  const known = new Set<string>();
  for (const { name } of Object.values(QUEUES)) {
    const ids = await Promise.all([
      ...LISTS.map(async (state) => redis.lrange(`${queues}:${name}:${state}`, 0, -1)),
      ...SORTED.map(async (state) => redis.zrange(`${queues}:${name}:${state}`, '0', '-1')),
    ]);
    for (const id of ids.flat()) known.add(`${name}:${id}`);
  }
  return known;
};

const nameOf = ({ kind, job }: KeyKind, jobs: ReadonlySet<string>): string =>
  job === null || jobs.has(`${job.queue}:${job.id}`) ? kind : `${kind}, of a job in no state`;

/** Ordered by kind. Contract: no service runs meanwhile, so that no job changes its state between the commands. */
export const groupLastingKeys = async (redis: Redis, prefix: string): Promise<readonly KeyGroup[]> => {
  const jobs = await listJobs(redis, prefix);
  const byKind = new Map<string, string[]>();
  for (const key of await listLasting(redis)) {
    const kind = nameOf(kindOfKey(key, prefix), jobs);
    const keys = byKind.get(kind) ?? [];
    keys.push(key);
    byKind.set(kind, keys);
  }
  return [...byKind]
    .map(([kind, keys]) => ({
      kind,
      count: keys.length,
      example: keys[0] ?? '',
      reason: WITHOUT_EXPIRY.get(kind) ?? null,
    }))
    .toSorted((one, other) => one.kind.localeCompare(other.kind, 'en'));
};

/** A sentence for each kind of key that should have an expiry. */
export const faultsOf = (groups: readonly KeyGroup[]): readonly string[] =>
  groups
    .filter(({ reason }) => reason === null)
    .map(({ kind, count, example }) => `${count} × ${kind} without an expiry, such as ${example}`);
