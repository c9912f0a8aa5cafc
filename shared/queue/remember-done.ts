/** Marks events as delivered, those of one turn of the event loop in one command. */
import type { Redis } from 'ioredis';
import { createScript } from '../store/server/script.ts';

/** KEYS: names. ARGV: time to live in seconds. */
const MARK_DONE = `
for _, name in ipairs(KEYS) do redis.call('SET', name, 'done', 'EX', ARGV[1]) end
return #KEYS`;

const markDone = createScript(MARK_DONE);

/** Redis does nothing else while it executes a script, so one must not become long. */
const MAX_NAMES = 128;

export type RememberDone = {
  /** Does not wait for Redis: without the mark, a repeated delivery wakes guard once more, without effect. */
  readonly add: (name: string) => void;
  /** Call this before the next event is sent, so that Redis knows the marks by then. */
  readonly send: () => void;
};

export const createRememberDone = (redis: Redis, seconds: number): RememberDone => {
  let waiting: string[] = [];
  let isLoaded = false;
  const send = (): void => {
    if (waiting.length === 0) return;
    const names = waiting;
    waiting = [];
    // Otherwise the first marks would be sent twice, and the second time after later events.
    if (!isLoaded) redis.script('LOAD', MARK_DONE).catch(() => undefined);
    isLoaded = true;
    markDone(redis, names, [seconds]).catch(() => undefined);
  };
  return {
    send,
    add: (name) => {
      if (waiting.push(name) === 1) setImmediate(send);
      if (waiting.length === MAX_NAMES) send();
    },
  };
};
