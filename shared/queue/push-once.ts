/** Puts an event into an inbox once per deduplication key. */
import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Redis } from 'ioredis';

/**
 * KEYS: delivery, deduplication key, inbox. ARGV: event, time to live, time to live of the inbox.
 * `pending`: the event is stored, but perhaps not its wake-up job, so the caller adds the job again.
 */
const PUSH_ONCE = `
if KEYS[1] ~= '' and redis.call('EXISTS', KEYS[1]) == 1 then return 'known' end
local state = redis.call('GET', KEYS[2])
if state == 'done' then return 'known' end
if not state then
  redis.call('RPUSH', KEYS[3], ARGV[1])
  redis.call('EXPIRE', KEYS[3], ARGV[3])
  redis.call('SET', KEYS[2], 'pending', 'EX', ARGV[2])
end
return 'pending'`;

const SHA = createHash('sha1').update(PUSH_ONCE).digest('hex');

export type Push = {
  readonly deliveryKey: string;
  readonly dedupKey: string;
  readonly inboxKey: string;
  readonly entry: string;
  readonly rememberS: number;
  readonly keepS: number;
};

export type PushOnce = {
  /** True if the script was executed before, so that Redis probably still has it. */
  readonly isLoaded: () => boolean;
  /** Sends the whole script. */
  readonly load: (push: Push) => Promise<'known' | 'pending'>;
  /**
   * Sends the hash of the script at once, so that later commands of the same connection are executed after it. `unloaded`:
   * Redis does not have the script, for example after a failover, and nothing was done.
   */
  readonly run: (push: Push) => Promise<'known' | 'pending' | 'unloaded'>;
};

const stateOf = (answer: unknown): 'known' | 'pending' => (answer === 'known' ? 'known' : 'pending');

type Arguments = readonly [string, string, string, string, number, number];

const argumentsOf = ({ deliveryKey, dedupKey, inboxKey, entry, rememberS, keepS }: Push): Arguments => [
  deliveryKey,
  dedupKey,
  inboxKey,
  entry,
  rememberS,
  keepS,
];

/** Sends all commands of this turn of the event loop in one write. Without a connection, the commands fail by themselves. */
export const createGather = (redis: Redis): (() => void) => {
  let corked: Writable | null = null;
  const release = (): void => {
    corked?.uncork();
    corked = null;
  };
  return () => {
    // The driver creates the stream when it connects.
    const stream: Writable | undefined = redis.stream;
    if (corked !== null || stream === undefined) return;
    corked = stream;
    stream.cork();
    setImmediate(release);
  };
};

export const createPushOnce = (redis: Redis): PushOnce => {
  let isLoaded = false;
  return {
    isLoaded: () => isLoaded,
    load: async (push) => {
      const state = stateOf(await redis.eval(PUSH_ONCE, 3, ...argumentsOf(push)));
      isLoaded = true;
      return state;
    },
    run: async (push) => {
      try {
        return stateOf(await redis.evalsha(SHA, 3, ...argumentsOf(push)));
      } catch (error) {
        // https://redis.io/docs/latest/develop/programmability/eval-intro/#evalsha-in-the-context-of-pipelining
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        isLoaded = false;
        return 'unloaded';
      }
    },
  };
};
