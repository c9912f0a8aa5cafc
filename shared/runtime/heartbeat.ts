/** Repeats the entry of this process for the operator's page. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createHeartbeats, type LastAnswer } from '../store/board/heartbeats.ts';
import type { Keys } from '../store/keys.ts';
import { VERSION } from '../version.ts';

export type HeartbeatOptions = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly service: string;
  readonly notices: () => readonly string[];
  /** If absent, the process asks no forge and no model. */
  readonly answers?: () => readonly LastAnswer[];
  readonly nowMs: () => number;
  readonly everyMs?: number;
};

const EVERY_MS = 15_000;
const MAX_NOTICES = 20;
const MAX_NOTICE = 1_000;

/** Contract: never throws; without Redis an entry is left out. `stop` removes the entry. */
export const startHeartbeat = (options: HeartbeatOptions): { readonly stop: () => Promise<void> } => {
  const { redis, keys, service, notices, answers = () => [], nowMs, everyMs = EVERY_MS } = options;
  const heartbeats = createHeartbeats(redis, keys);
  const self = { service, instance: randomBytes(6).toString('hex'), version: VERSION, startedAtMs: nowMs() };
  let isBeating = false;
  const beat = async (): Promise<void> => {
    // A worker's connection queues commands while Redis is away, so only one may be pending.
    if (isBeating) return;
    isBeating = true;
    const shown = notices()
      .slice(0, MAX_NOTICES)
      .map((text) => text.slice(0, MAX_NOTICE));
    await heartbeats.beat({ ...self, atMs: nowMs(), notices: shown, answers: [...answers()] }).catch(() => undefined);
    isBeating = false;
  };
  const timer = setInterval(() => void beat(), everyMs).unref();
  void beat();
  return {
    stop: async () => {
      clearInterval(timer);
      if (redis.status === 'ready') await heartbeats.leave(self).catch(() => undefined);
    },
  };
};
