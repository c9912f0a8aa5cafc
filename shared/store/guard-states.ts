import type { Redis } from 'ioredis';
import { GuardState } from '../rounds/model/state.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';
import { FENCED, type Lease, LeaseLostError } from './lease.ts';

/** Guard's state of one change request. It is written only under the lease, so an outdated writer cannot overwrite it. */
export type GuardStates = {
  /** Returns null when there is no state, or when this version cannot read it. Guard then rebuilds the state from the forge. */
  load(of: ChangeRequest): Promise<GuardState | null>;
  save(of: ChangeRequest, state: GuardState, lease: Lease): Promise<void>;
};

/** States of idle change requests are dropped after this time. Guard can rebuild them from the forge. */
const KEEP_S = 30 * 24 * 3600;

const SAVE = `${FENCED}redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
return 1`;

/** `onUnreadable` is called for a state of an incompatible version, before the state is rebuilt. */
export const createGuardStates = (
  redis: Redis,
  keys: Keys,
  onUnreadable: (of: ChangeRequest) => void = () => {},
): GuardStates => ({
  load: async (of) => {
    const text = await redis.get(keys.ofChangeRequest(of, 'state'));
    if (text === null) return null;
    const parsed = GuardState.safeParse(JSON.parse(text));
    if (!parsed.success) onUnreadable(of);
    return parsed.success ? parsed.data : null;
  },
  save: async (of, state, lease) => {
    const key = keys.ofChangeRequest(of, 'state');
    const saved = await redis.eval(SAVE, 2, lease.key, key, lease.token, JSON.stringify(state), KEEP_S);
    if (Number(saved) !== 1) throw new LeaseLostError(lease.key);
  },
});
