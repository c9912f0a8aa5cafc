/** Which processes of the installation run, in which version. Each one repeats its entry; a dead one is dropped. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { jsonOrNull } from '../../json-or-null.ts';
import type { Keys } from '../keys.ts';

export const LastAnswer = z.object({
  /** `model`, or a forge as in `forge main`. */
  of: z.string().max(80),
  /** `answered`, an HTTP status or an error code. */
  outcome: z.string().max(80),
  atMs: z.number().int(),
});
export type LastAnswer = z.output<typeof LastAnswer>;

export const Heartbeat = z.object({
  service: z.string().max(40),
  /** Different for each process. */
  instance: z.string().max(40),
  version: z.string().max(40),
  startedAtMs: z.number().int(),
  atMs: z.number().int(),
  /** Disabled features and current problems, such as a missing cage. */
  notices: z.array(z.string().max(1_000)).max(20),
  /** What forges and models last answered to this process. */
  answers: z.array(LastAnswer).max(50).default([]),
});
export type Heartbeat = z.output<typeof Heartbeat>;

export type Heartbeats = {
  beat(heartbeat: Heartbeat): Promise<void>;
  /** A process that ends in an orderly way removes its entry. */
  leave(heartbeat: Pick<Heartbeat, 'service' | 'instance'>): Promise<void>;
  /** Ordered by service and start. An entry that was not repeated for `HEARTBEAT_STALE_MS` is dropped. */
  list(nowMs: number): Promise<readonly Heartbeat[]>;
};

/** Three missed entries. */
export const HEARTBEAT_STALE_MS = 45_000;
const KEEP_S = 3_600;

export const createHeartbeats = (redis: Redis, keys: Keys): Heartbeats => {
  const key = keys.board('heartbeats');
  const fieldOf = ({ service, instance }: Pick<Heartbeat, 'service' | 'instance'>): string => `${service} ${instance}`;
  return {
    beat: async (heartbeat) => {
      await redis.multi().hset(key, fieldOf(heartbeat), JSON.stringify(heartbeat)).expire(key, KEEP_S).exec();
    },
    leave: async (heartbeat) => void (await redis.hdel(key, fieldOf(heartbeat))),
    list: async (nowMs) => {
      const entries = Object.entries(await redis.hgetall(key)).map(([field, text]) => {
        const heartbeat = Heartbeat.safeParse(jsonOrNull(text)).data;
        return { field, heartbeat: heartbeat ?? null, isStale: nowMs - (heartbeat?.atMs ?? 0) > HEARTBEAT_STALE_MS };
      });
      const stale = entries.filter(({ isStale }) => isStale).map(({ field }) => field);
      if (stale.length > 0) await redis.hdel(key, ...stale);
      return entries
        .flatMap(({ heartbeat, isStale }) => (heartbeat === null || isStale ? [] : [heartbeat]))
        .toSorted(
          (one, other) => one.service.localeCompare(other.service, 'en') || one.startedAtMs - other.startedAtMs,
        );
    },
  };
};
