/** Puts events into inboxes, each once per deduplication key. */
import type { Redis } from 'ioredis';
import { isUnknownScript, scriptHash } from '../store/server/script.ts';

/**
 * For each event, KEYS: delivery, deduplication key, inbox. ARGV: time to live, time to live of the inbox, and the events.
 * `pending`: the event is stored, but perhaps not its wake-up job, so the caller adds the job again. An inbox that is no
 * list is the fault of this one event; after any other error nothing more is stored.
 */
const PUSH_ONCE = `
local states = {}
for n = 1, #KEYS / 3 do
  local delivery, seen, inbox = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local state = redis.call('GET', seen)
  if state == 'done' or redis.call('EXISTS', delivery) == 1 then
    states[n] = 'known'
  elseif state then
    states[n] = 'pending'
  else
    local pushed = redis.pcall('RPUSH', inbox, ARGV[n + 2])
    if type(pushed) == 'number' then
      redis.call('EXPIRE', inbox, ARGV[2])
      redis.call('SET', seen, 'pending', 'EX', ARGV[1])
      states[n] = 'pending'
    elseif string.find(pushed.err, 'WRONGTYPE', 1, true) then
      states[n] = pushed.err
    else
      return pushed
    end
  end
end
return states`;

const SHA = scriptHash(PUSH_ONCE);

export type Push = {
  /** Null if the forge gave this delivery no id. */
  readonly deliveryKey: string | null;
  readonly dedupKey: string;
  readonly inboxKey: string;
  readonly entry: string;
};

/** How long the keys and the inbox are kept, in seconds. */
export type PushTimes = { readonly rememberS: number; readonly keepS: number };

/** An error: this event is not stored. */
export type Pushed = 'known' | 'pending' | Error;

export type PushOnce = {
  /** True if the script was executed before, so that Redis probably still has it. */
  readonly isLoaded: () => boolean;
  /** Sends the whole script. Returns the state of each event. */
  readonly load: (pushes: readonly Push[]) => Promise<readonly Pushed[]>;
  /**
   * Sends the hash of the script at once, so that later commands of the same connection are executed after it. `unloaded`:
   * Redis does not have the script, for example after a failover, and nothing was done.
   */
  readonly run: (pushes: readonly Push[]) => Promise<readonly Pushed[] | 'unloaded'>;
};

const statesIn = (answer: unknown): readonly Pushed[] => {
  if (!Array.isArray(answer)) throw new Error('the script that stores events gave no states');
  return answer.map((state) => (state === 'known' || state === 'pending' ? state : new Error(String(state))));
};

export const createPushOnce = (redis: Redis, { rememberS, keepS }: PushTimes): PushOnce => {
  let isLoaded = false;
  const argumentsOf = (pushes: readonly Push[]): readonly [number, ...(string | number)[]] => [
    pushes.length * 3,
    ...pushes.flatMap(({ deliveryKey, dedupKey, inboxKey }) => [
      // Redis Cluster takes keys of one slot only, so not an empty one.
      deliveryKey ?? `${dedupKey}:none`,
      dedupKey,
      inboxKey,
    ]),
    rememberS,
    keepS,
    ...pushes.map(({ entry }) => entry),
  ];
  return {
    isLoaded: () => isLoaded,
    load: async (pushes) => {
      const states = statesIn(await redis.eval(PUSH_ONCE, ...argumentsOf(pushes)));
      isLoaded = true;
      return states;
    },
    run: async (pushes) => {
      try {
        return statesIn(await redis.evalsha(SHA, ...argumentsOf(pushes)));
      } catch (error) {
        if (!isUnknownScript(error)) throw error;
        isLoaded = false;
        return 'unloaded';
      }
    },
  };
};
