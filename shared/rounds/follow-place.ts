/**
 * The status of a commit speaks for every open change request that has it as head. So it is written again when one of
 * them comes or goes: also by those that are not reviewed themselves.
 */
import type { ChangeRequestFacts } from '../forge/port.ts';
import { emptyPlan, type PlanContext } from './build-plan.ts';
import { change, type DecideInput, type Decision, order } from './decision.ts';
import { type Input, inputOf } from './input.ts';
import type { PostPlan } from './post-plan.ts';
import type { Command, GuardState } from './state.ts';
import type { CommitSha, RunId } from './vocabulary.ts';

/** Whatever else is ordered for this input writes its status by itself. */
const WRITES: ReadonlySet<Command['kind']> = new Set(['acknowledge', 'announce', 'withdraw_approval', 'post_cap']);

export const followPlace = (board: Decision, input: DecideInput): Decision => {
  const { changeRequest } = input.facts;
  const { placed } = board.state;
  const present = changeRequest?.state === 'open' ? placeOf(changeRequest) : null;
  const moved = change(board, { placed: present });
  if (!isSameHead(placed, present)) return leaveAndJoin(moved, input, placed);
  return placed?.part === present?.part ? board : sayAgain(moved, input);
};

const isSameHead = (one: GuardState['placed'], other: GuardState['placed']): boolean =>
  one?.head === other?.head && one?.target === other?.target;

const leaveAndJoin = (board: Decision, input: DecideInput, before: GuardState['placed']): Decision => {
  const { placed: present, running } = board.state;
  const hasLeft = before !== null && before.head !== present?.head;
  const left = hasLeft ? orderStatus(board, input, { head: before.head, why: 'it has left the commit' }) : board;
  const isWritten = running !== null || board.state.outbox.some(({ kind }) => WRITES.has(kind));
  return present === null || isWritten
    ? left
    : orderStatus(left, input, { head: present.head, why: 'the commit has one more' });
};

const placeOf = ({ head, targetBranch: target, statusPlace: part }: ChangeRequestFacts): GuardState['placed'] => ({
  head,
  target,
  ...(part === undefined ? {} : { part }),
});

/** The forge merges by another pipeline than the one in which the status is. */
const sayAgain = (board: Decision, input: DecideInput): Decision => {
  const { placed, running, wanted, quiet, outbox } = board.state;
  const isDue = running !== null || wanted !== null || quiet !== null;
  if (placed === null || outbox.some(({ kind }) => kind === 'announce')) return board;
  return orderStatus(board, input, { head: placed.head, why: 'the gate looks elsewhere now', isDue });
};

type Wish = { readonly head: CommitSha; readonly why: string; readonly isDue?: boolean };

const orderStatus = (board: Decision, { freshRunId }: DecideInput, { head, why, isDue = false }: Wish): Decision =>
  order(board, { kind: 'write_status', head, noticeId: freshRunId, isDue }, `the status is written again: ${why}`);

/** What a look at the forge has shown: another process was late with an older word, or somebody else wrote. */
export const repairStatus = (board: Decision, input: DecideInput): Decision => {
  const { changeRequest, wrongStatus } = input.facts;
  const { running, wanted, quiet, outbox } = board.state;
  const isIdle = running === null && wanted === null && quiet === null;
  const isOrdered = outbox.some(({ kind }) => kind === 'write_status' || WRITES.has(kind));
  if (wrongStatus !== true || changeRequest === null || !isIdle || isOrdered) return board;
  return orderStatus(board, input, { head: changeRequest.head, why: 'it differs from the verdict' });
};

type StatusOrder = { readonly head: CommitSha; readonly noticeId: RunId; readonly isDue: boolean };

/** What it is to say the poster finds out: others may read the same commit. */
export const buildStatusPlan = (context: PlanContext, { head, noticeId, isDue }: StatusOrder): PostPlan => {
  const input: Input = { ...inputOf(context.facts), head };
  return {
    ...emptyPlan(context, { runId: noticeId, ...input, round: 1, attempt: 1 }, 'status'),
    planId: `${noticeId}-status-${head.slice(0, 12)}`,
    summary: null,
    status: isDue ? { state: 'pending', description: 'Not reviewed yet' } : null,
  };
};
