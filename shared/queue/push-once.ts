/** Puts an event into an inbox once per deduplication key. */
import type { Redis } from 'ioredis';
import { isUnknownScript, scriptHash } from '../store/server/script.ts';

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

const SHA = scriptHash(PUSH_ONCE);

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
        if (!isUnknownScript(error)) throw error;
        isLoaded = false;
        return 'unloaded';
      }
    },
  };
};
