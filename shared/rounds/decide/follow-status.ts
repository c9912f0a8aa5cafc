/**
 * A commit status covers every open change request with that head, even those that are not reviewed. So the status is
 * rewritten when the head of one of them becomes that commit or stops being it.
 */
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import { change, type DecideInput, type Decision, emit, isInputSettled } from './decision.ts';
import { whyAnnounced, whyWaiting } from './filters.ts';
import { type Effect, MAX_WAITS_LENGTH } from '../model/effect.ts';
import { cutPoint } from '../../text/cut.ts';
import { inputOf } from '../model/input.ts';
import type { GuardState } from '../model/state.ts';
import type { CommitSha } from '../../vocabulary/ids.ts';

/** These effects write the status themselves. */
const WRITES: ReadonlySet<Effect['kind']> = new Set(['acknowledge', 'announce', 'post_cap']);

const writesStatus = (effect: Effect): boolean =>
  WRITES.has(effect.kind) || (effect.kind === 'withdraw_approval' && effect.pending);

export const followStatus = (decision: Decision, input: DecideInput): Decision => {
  const { changeRequest } = input.facts;
  const { placed } = decision.state;
  const present = changeRequest?.state === 'open' ? placeOf(changeRequest, decision, input) : null;
  const moved = change(decision, { placed: present });
  if (!isSameHead(placed, present)) return leaveAndJoin(moved, input, placed);
  if (placed?.part !== present?.part) return sayAgain(moved, input);
  return placed?.waits === present?.waits ? decision : sayOtherReason(moved, input);
};

const isSameHead = (one: GuardState['placed'], other: GuardState['placed']): boolean =>
  one?.head === other?.head && one?.target === other?.target;

const leaveAndJoin = (decision: Decision, input: DecideInput, before: GuardState['placed']): Decision => {
  const { placed: present, running } = decision.state;
  const hasLeft = before !== null && before.head !== present?.head;
  // If a run has the old head, `leaveRun` writes the head's last status. If the change request has ended, the plan for
  // its end writes the status.
  const isEnded =
    hasLeft && running?.head !== before.head && !hasLastWord(decision, before.head) && mayWait(input.state, before);
  const left = hasLeft
    ? orderStatus(decision, input, {
        head: before.head,
        why: 'the commit is no longer the head of the change request',
        left: isEnded,
      })
    : decision;
  const isWritten = running !== null || decision.state.outbox.some(writesStatus);
  return present === null || isWritten
    ? left
    : orderStatus(left, input, { head: present.head, why: whyHere(before, present) });
};

const whyHere = (before: GuardState['placed'], { head }: NonNullable<GuardState['placed']>): string =>
  before?.head === head ? 'the target branch is another one' : 'another change request may have this commit';

/** True if the commit may have a pending status: it has no verdict, or since its verdict something was posted for another input of it. */
const mayWait = (state: GuardState, { head, target }: NonNullable<GuardState['placed']>): boolean => {
  const { reviewed, closed, wanted, quiet, running, withdrawnFor } = state;
  const isSettled = [...reviewed, ...closed].some((known) => known.head === head && known.target === target);
  const isWanted = [wanted, quiet, running].some((each) => each?.head === head);
  return !isSettled || isWanted || withdrawnFor?.startsWith(head) === true;
};

const hasLastWord = ({ state: { outbox } }: Decision, head: CommitSha): boolean =>
  outbox.some((command) => command.kind === 'post_closed' && command.heads.includes(head));

const placeOf = (facts: ChangeRequestFacts, decision: Decision, input: DecideInput): GuardState['placed'] => {
  const { head, targetBranch: target, statusPlace: part } = facts;
  const waits = whyUnreviewed(facts, decision, input);
  return { head, target, ...(part === undefined ? {} : { part }), ...(waits === null ? {} : { waits }) };
};

const whyUnreviewed = (facts: ChangeRequestFacts, { state }: Decision, { policy }: DecideInput): string | null =>
  whyWaiting(facts, policy, state.pauses) ?? whyAnnounced(state, facts, policy);

/** Rewrites the status if the review is now prevented for another reason, for example by a missing label and no longer by a draft. */
const sayOtherReason = (decision: Decision, input: DecideInput): Decision => {
  const { state } = decision;
  const { changeRequest } = input.facts;
  const isInWork = state.running !== null || state.wanted !== null || state.quiet !== null;
  if (changeRequest === null || isInWork || isInputSettled(state, inputOf(changeRequest))) return decision;
  const isDue = state.placed?.waits === undefined;
  return orderStatus(decision, input, { head: changeRequest.head, why: 'the reason to wait has changed', isDue });
};

/** The forge now decides merges by a pipeline other than the one with the status, so the status is written again. */
const sayAgain = (decision: Decision, input: DecideInput): Decision => {
  const { placed, running, wanted, quiet, outbox } = decision.state;
  const isDue = running !== null || wanted !== null || quiet !== null;
  if (placed === null || outbox.some(({ kind }) => kind === 'announce')) return decision;
  return orderStatus(decision, input, { head: placed.head, why: 'the merge check now reads another place', isDue });
};

/** Rewrites the status of an old head when its run ends, because the run may have set it to pending after the head moved. */
export const leaveRun = (decision: Decision, input: DecideInput): Decision => {
  const { running: before } = input.state;
  const { running, outbox } = decision.state;
  const { changeRequest } = input.facts;
  if (before === null || running?.runId === before.runId) return decision;
  if (changeRequest?.state !== 'open' || before.head === changeRequest.head) return decision;
  if (outbox.some((command) => command.kind === 'write_status' && command.head === before.head)) return decision;
  return orderStatus(decision, input, {
    head: before.head,
    why: 'the run has ended at a commit that is no longer the head',
    left: true,
  });
};

type Wish = { readonly head: CommitSha; readonly why: string; readonly isDue?: boolean; readonly left?: boolean };

const orderStatus = (
  decision: Decision,
  input: DecideInput,
  { head, why, isDue = false, left = false }: Wish,
): Decision => {
  const { changeRequest } = input.facts;
  const isHead = changeRequest !== null && changeRequest.head === head;
  const prevented = isHead && !left ? whyUnreviewed(changeRequest, decision, input) : null;
  // It can name many labels. A status shows only its beginning.
  const waits = prevented?.slice(0, cutPoint(prevented, MAX_WAITS_LENGTH)) ?? null;
  const command = { kind: 'write_status', head, noticeId: input.freshRunId, isDue, left, waits } as const;
  return emit(decision, command, `the status is written again: ${why}`);
};

/** Rewrites a status that differs from the verdict, because a slower process or a person overwrote it. */
export const repairStatus = (decision: Decision, input: DecideInput): Decision => {
  const { changeRequest, wrongStatus } = input.facts;
  const { running, wanted, quiet, outbox } = decision.state;
  const isIdle = running === null && wanted === null && quiet === null;
  const isOrdered = outbox.some((effect) => effect.kind === 'write_status' || writesStatus(effect));
  if (wrongStatus !== true || changeRequest === null || !isIdle || isOrdered) return decision;
  return orderStatus(decision, input, { head: changeRequest.head, why: 'the status differs from the verdict' });
};
