import type { Redis } from 'ioredis';
import { GuardState } from '../rounds/model/state.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from './keys.ts';
import { FENCED, type Lease, LeaseLostError } from './lease.ts';

/** Guard's state of one change request. Written only under the lease, so a late writer can never undo a newer one. */
export type GuardStates = {
  /** Null when there is none, or none that this version can read: then it is rebuilt from the forge. */
  load(of: ChangeRequest): Promise<GuardState | null>;
  save(of: ChangeRequest, state: GuardState, lease: Lease): Promise<void>;
};

/** Idle change requests are forgotten after this; the forge remembers them. */
const KEEP_S = 30 * 24 * 3600;

const SAVE = `${FENCED}redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
return 1`;

/** `onUnreadable`: told of a state that another build wrote, before it is rebuilt. */
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
