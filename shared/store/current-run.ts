import type { GuardState } from '../rounds/model/state.ts';
import type { ChangeRequest, RunId } from '../vocabulary/ids.ts';
import type { GuardStates } from './guard-states.ts';

/**
 * True when guard still waits for the run, or when its state is missing (Redis was wiped). In the second case, guard
 * decides when the run ends.
 */
export const isCurrentRun = async (
  states: Pick<GuardStates, 'load'>,
  of: ChangeRequest,
  runId: RunId,
): Promise<boolean> => {
  const state: GuardState | null = await states.load(of);
  return state === null || state.running?.runId === runId;
};
