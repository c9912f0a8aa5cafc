/** What guard writes for the operator's page. Decides nothing, and is absent if the page is disabled. */
import { changeRequestStatus } from '../../../shared/overview/change-request-status.ts';
import type { Facts } from '../../../shared/rounds/model/facts.ts';
import type { GrantedRounds } from '../../../shared/rounds/model/policy.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { Activity } from '../../../shared/store/board/activity.ts';
import type { RunLog } from '../../../shared/store/board/run-log.ts';
import type { ChangeRequestViews } from '../../../shared/store/board/views.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { viewOf } from './view-of.ts';

export type GuardBoard = {
  /** Contract: idempotent. Called when guard has dealt with the events of a change request. */
  note(of: ChangeRequest, seen: { readonly facts: Facts; readonly state: GuardState }): Promise<void>;
  readonly runs: Pick<RunLog, 'add'>;
};

export type GuardBoardDeps = {
  readonly activity: Pick<Activity, 'note'>;
  readonly views: Pick<ChangeRequestViews, 'save'>;
  readonly runs: Pick<RunLog, 'add'>;
  readonly policy: GrantedRounds;
  /** Removes secrets. */
  readonly clean: (text: string) => string;
  readonly nowMs: () => number;
};

export const createGuardBoard = ({ activity, views, runs, policy, clean, nowMs }: GuardBoardDeps): GuardBoard => ({
  runs,
  note: async (of, { facts, state }) => {
    const atMs = nowMs();
    const view = viewOf({ of, facts, state, atMs, clean });
    const isWorking = hasWork(of, state, { nowMs: atMs, policy });
    await Promise.all([view === null ? null : views.save(view), activity.note(of, { isWorking, atMs })]);
  },
});

/** Something is running, or will happen without a new event. */
const hasWork = (of: ChangeRequest, state: GuardState, now: Parameters<typeof changeRequestStatus>[2]): boolean =>
  changeRequestStatus(of, state, now).doing !== 'idle' || state.parked !== null || state.heldByCi !== null;
