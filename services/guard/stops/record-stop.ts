/** Reasons for which guard decides nothing at all, each told in `fixpoint why`. */
import type { Enqueue } from '../../../shared/queue/enqueue.ts';
import type { JobContext } from '../../../shared/queue/worker.ts';
import { MarkerOfOtherVersionError } from '../../../shared/rounds/memory/own-markers.ts';
import type { Pauses } from '../../../shared/store/board/pauses.ts';
import type { Decisions } from '../../../shared/store/decisions.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { GuardStates } from '../../../shared/store/guard-states.ts';
import type { Lease } from '../../../shared/store/lease.ts';
import { type ChangeRequest, changeRequestKey } from '../../../shared/vocabulary/ids.ts';

type StopDeps = {
  readonly decisions: Pick<Decisions, 'append' | 'list'>;
  readonly pauses: Pick<Pauses, 'hold'>;
  readonly nowMs: () => number;
};

type OtherVersionDeps = Pick<StopDeps, 'decisions' | 'nowMs'> & {
  readonly states: GuardStates;
  readonly enqueue: Enqueue;
};

const PAUSED = 'the project is paused by an operator: events wait until it is continued';

/** While a project is paused, its events stay in the inbox, and nothing is read from the forge, started or posted. */
export const isHeld = async (deps: StopDeps, of: ChangeRequest, { log }: JobContext): Promise<boolean> => {
  const atMs = deps.nowMs();
  const outcome = await deps.pauses.hold(of, atMs);
  if (outcome !== 'held') return outcome === 'held_before';
  const decision = { effect: 'nothing', reason: PAUSED } as const;
  log.info({ forge: of.forge, project: of.projectId, changeRequest: of.number, ...decision }, 'decided');
  await deps.decisions.append(of, [{ atMs, ...decision, head: null, events: [] }]);
  return true;
};

/** The stop and the withdrawal that follows it. */
const LAST_SAID = 2;

/** How long until a process of either version looks again. */
const AGAIN_MS = 60_000;

type StoppedPass = {
  readonly of: ChangeRequest;
  readonly lease: Lease;
  readonly log: JobContext['log'];
  /** Contract: frees the slot and offers it to others; does nothing a second time. */
  readonly releaseSlot: () => Promise<void>;
  /** Contract: orders once that what no verdict supports any more is withdrawn on the forge. `state`: the stored one. */
  readonly withdraw: (state: GuardState | null) => Promise<void>;
};

/**
 * Records once that the markers are those of another version, withdraws what no verdict supports any more, and looks
 * again later. The run's slot is freed, because other change requests need it. Throws every other error.
 */
export const stopForOtherVersion = async (
  deps: OtherVersionDeps,
  { of, lease, log, releaseSlot, withdraw }: StoppedPass,
  error: unknown,
): Promise<void> => {
  if (!(error instanceof MarkerOfOtherVersionError)) throw error;
  const { decisions, states, enqueue, nowMs } = deps;
  const { code, message: reason } = error;
  log.warn({ forge: of.forge, project: of.projectId, changeRequest: of.number, code }, reason);
  if (!(await decisions.list(of)).slice(-LAST_SAID).some((decision) => decision.reason === reason))
    await decisions.append(of, [{ atMs: nowMs(), effect: 'nothing', reason, head: null, events: [] }]);
  const state = await states.load(of);
  if (state?.slotHeld === true) await states.save(of, { ...state, slotHeld: false }, lease);
  // Also without a slot: one may have been offered to this change request.
  await releaseSlot();
  // One job for each minute: many events or passes of the sweep must not become many jobs that never end.
  const jobId = `other-version-${changeRequestKey(of)}-${Math.floor(nowMs() / AGAIN_MS)}`;
  await enqueue('guard', { v: 1, kind: 'wake', changeRequest: of }, { jobId, delayMs: AGAIN_MS });
  await withdraw(state);
};
