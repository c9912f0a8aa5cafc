/** Reasons for which guard decides nothing at all, each told in `fixpoint why`. */
import type { JobContext } from '../../../shared/queue/worker.ts';
import { MarkerOfOtherVersionError } from '../../../shared/rounds/memory/own-markers.ts';
import type { Pauses } from '../../../shared/store/board/pauses.ts';
import type { Decisions } from '../../../shared/store/decisions.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';

type StopDeps = {
  readonly decisions: Pick<Decisions, 'append' | 'list'>;
  readonly pauses: Pick<Pauses, 'hold'>;
  readonly nowMs: () => number;
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

/** Records once that the markers are those of another version, and throws, so that the job waits for its process. */
export const recordOtherVersion = async (
  { decisions, nowMs }: StopDeps,
  of: ChangeRequest,
  error: unknown,
): Promise<never> => {
  if (error instanceof MarkerOfOtherVersionError) {
    const reason = error.message;
    const last = (await decisions.list(of)).at(-1);
    if (last?.reason !== reason)
      await decisions.append(of, [{ atMs: nowMs(), effect: 'nothing', reason, head: null, events: [] }]);
  }
  throw error;
};
