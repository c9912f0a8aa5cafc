/**
 * The status of a commit speaks for every open change request that has it as head. So it is written again when one of
 * them comes or goes: also by those that are not reviewed themselves.
 */
import { emptyPlan, type PlanContext } from './build-plan.ts';
import { change, type DecideInput, type Decision, order } from './decision.ts';
import { type Input, inputOf } from './input.ts';
import type { PostPlan } from './post-plan.ts';
import type { Command } from './state.ts';
import type { CommitSha, RunId } from './vocabulary.ts';

/** Whatever else is ordered for this input writes its status by itself. */
const WRITES: ReadonlySet<Command['kind']> = new Set(['acknowledge', 'announce', 'withdraw_approval', 'post_cap']);

export const followPlace = (board: Decision, input: DecideInput): Decision => {
  const { changeRequest } = input.facts;
  const { placed, running } = board.state;
  const isOpen = changeRequest?.state === 'open';
  const present = isOpen ? { head: changeRequest.head, target: changeRequest.targetBranch } : null;
  if (placed?.head === present?.head && placed?.target === present?.target) return board;
  const moved = change(board, { placed: present });
  const left =
    placed !== null && placed.head !== present?.head
      ? orderStatus(moved, input, placed.head, 'it has left the commit')
      : moved;
  const isWritten = running !== null || board.state.outbox.some(({ kind }) => WRITES.has(kind));
  return present === null || isWritten ? left : orderStatus(left, input, present.head, 'the commit has one more');
};

const orderStatus = (board: Decision, { freshRunId }: DecideInput, head: CommitSha, why: string): Decision =>
  order(board, { kind: 'write_status', head, noticeId: freshRunId }, `the status is written again: ${why}`);

/** What a look at the forge has shown: another process was late with an older word, or somebody else wrote. */
export const repairStatus = (board: Decision, input: DecideInput): Decision => {
  const { changeRequest, wrongStatus } = input.facts;
  const { running, wanted, quiet, outbox } = board.state;
  const isIdle = running === null && wanted === null && quiet === null;
  const isOrdered = outbox.some(({ kind }) => kind === 'write_status' || WRITES.has(kind));
  if (wrongStatus !== true || changeRequest === null || !isIdle || isOrdered) return board;
  return orderStatus(board, input, changeRequest.head, 'it differs from the verdict');
};

type StatusOrder = { readonly head: CommitSha; readonly noticeId: RunId };

/** What it is to say the poster finds out: others may read the same commit. */
export const buildStatusPlan = (context: PlanContext, { head, noticeId }: StatusOrder): PostPlan => {
  const input: Input = { ...inputOf(context.facts), head };
  return {
    ...emptyPlan(context, { runId: noticeId, ...input, round: 1, attempt: 1 }, 'status'),
    planId: `${noticeId}-status-${head.slice(0, 12)}`,
    summary: null,
    status: null,
  };
};
