/** Measures the memory of processes and what is in Redis, at regular times. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Fleet } from '../../support/fleet.ts';
import type { LiveMemory } from './live-memory.ts';

export type InRedis = {
  readonly keys: number;
  readonly lasting: number;
  readonly megabytes: number;
};

export type Sample = InRedis & {
  /** Since the begin of the run. */
  readonly atMs: number;
  /** Resident memory per service, in MB. Services that have ended are missing. */
  readonly memory: ReadonlyMap<string, number>;
  /** Memory per service after a collection, in MB. Null for most samples, because a collection disturbs the service. */
  readonly live: ReadonlyMap<string, number> | null;
};

export type Sampling = {
  readonly fleet: Pick<Fleet, 'processes'>;
  readonly redis: Redis;
  readonly everyMs: number;
  /** Every so many samples the live memory is measured too. */
  readonly liveEvery: number;
  readonly measureLive: LiveMemory['measure'];
  readonly signal: AbortSignal;
  readonly onSample: (sample: Sample) => void;
};

const KB_PER_MB = 1024;
const BYTES_PER_MB = 1024 ** 2;

/** Of the process alone, without the programs that it starts. https://docs.kernel.org/filesystems/proc.html */
const residentMb = (pid: number): number => {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? Number.NaN) / KB_PER_MB;
};

const memoryOf = (processes: Fleet['processes']): ReadonlyMap<string, number> =>
  new Map(
    processes.flatMap(({ name, pid }): readonly [string, number][] => {
      try {
        const megabytes = residentMb(pid);
        return Number.isNaN(megabytes) ? [] : [[name, megabytes]];
      } catch {
        // The process has ended; the bench reports that at its end.
        return [];
      }
    }),
  );

const liveOf = async ({ fleet, measureLive }: Sampling): Promise<ReadonlyMap<string, number>> => {
  const all = new Map<string, number>();
  for (const { name, pid } of fleet.processes) {
    const megabytes = await measureLive(pid);
    if (megabytes !== null) all.set(name, megabytes);
  }
  return all;
};

/** https://redis.io/docs/latest/commands/info/ */
const lookInto = async (redis: Redis): Promise<InRedis> => {
  const [keyspace, memory] = [await redis.info('keyspace'), await redis.info('memory')];
  const [, keys = '0', expires = '0'] = /^db0:keys=(\d+),expires=(\d+)/m.exec(keyspace) ?? [];
  const [, bytes = '0'] = /^used_memory:(\d+)/m.exec(memory) ?? [];
  return { keys: Number(keys), lasting: Number(keys) - Number(expires), megabytes: Number(bytes) / BYTES_PER_MB };
};

/** Samples until the signal aborts. */
export const sampleRegularly = async (sampling: Sampling): Promise<void> => {
  const { fleet, redis, everyMs, liveEvery, signal, onSample } = sampling;
  const startedAt = performance.now();
  for (let count = 0; !signal.aborted; count += 1) {
    const memory = memoryOf(fleet.processes);
    const atMs = performance.now() - startedAt;
    const live = count % liveEvery === 0 ? await liveOf(sampling) : null;
    onSample({ atMs, memory, live, ...(await lookInto(redis)) });
    const dueMs = (count + 1) * everyMs - (performance.now() - startedAt);
    await pause(Math.max(0, dueMs), undefined, { signal }).catch(() => undefined);
  }
};
