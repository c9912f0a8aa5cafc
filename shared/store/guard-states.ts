import type { Redis } from 'ioredis';
import { GuardState } from '../rounds/model/state.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import { appendDecisions, type DecisionRecord } from './decisions.ts';
import type { Keys } from './keys.ts';
import { FENCED, type Lease, LeaseLostError } from './lease.ts';
import { createScript } from './server/script.ts';

/** Guard's state of one change request. It is written only under the lease, so an outdated writer cannot overwrite it. */
export type GuardStates = {
  /** Returns null when there is no state, or when this version cannot read it. Guard then rebuilds the state from the forge. */
  load(of: ChangeRequest): Promise<GuardState | null>;
  /** Appends `decided`, the decisions that led to the state, in the same step. */
  save(of: ChangeRequest, state: GuardState, lease: Lease, decided?: readonly DecisionRecord[]): Promise<void>;
};

/** States of idle change requests are dropped after this time. Guard can rebuild them from the forge. */
const KEEP_S = 30 * 24 * 3600;

const SAVE = `redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
`;
const save = createScript(`${FENCED}${SAVE}return 1`);
const saveDecided = createScript(`${FENCED}${SAVE}${appendDecisions({ key: 3, keepS: 3, firstRecord: 4 })}return 1`);

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
  save: async (of, state, lease, decided = []) => {
    const places = [lease.key, keys.ofChangeRequest(of, 'state')];
    const values = [lease.token, JSON.stringify(state), KEEP_S];
    const records = decided.map((record) => JSON.stringify(record));
    const saved =
      records.length === 0
        ? await save(redis, places, values)
        : await saveDecided(redis, [...places, keys.ofChangeRequest(of, 'decisions')], [...values, ...records]);
    if (Number(saved) !== 1) throw new LeaseLostError(lease.key);
  },
});
