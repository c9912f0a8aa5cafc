/** Orders a fix, either on guard's own decision after a review with feedback, or when a commander asks for it. */
import { change, type DecideInput, type Decision, note, emit, scheduleFixOverdue } from './decision.ts';
import type { FixFacts, FixRequest } from '../model/facts.ts';
import { whyNoFix, whyNoOwnFix } from './fix-conditions.ts';
import { isPaused } from '../model/command-reply.ts';
import type { Fix, FixRefusal } from '../model/fixes.ts';

export const orderFix = (decision: Decision, input: DecideInput): Decision => {
  const { fix } = input.facts;
  if (fix === null || input.events.length === 0) return decision;
  const answered = fix.requests.reduce((current, request) => answerRequest(current, request, input), decision);
  return orderOwnFix(answered, fix, input);
};

/** Comments by people who may not give commands get no answer; otherwise two bots could answer each other forever. */
const answerRequest = (decision: Decision, request: FixRequest, input: DecideInput): Decision => {
  if (!request.allowed) return note(decision, 'nothing', 'the author of the comment may not give the bot commands');
  const refusal = whyNotNow(decision, input, true);
  if (refusal === null) return beginFix(decision, input, request);
  const { changeRequest } = input.facts;
  if (changeRequest === null) return decision;
  const { noteId } = request;
  const command = {
    kind: 'refuse_fix' as const,
    head: changeRequest.head,
    noteId,
    refusal,
    noticeId: input.freshRunId,
  };
  return emit(decision, command, `a fix was requested and refused: ${refusal}`);
};

/**
 * Guard orders no fix of its own if all events come from the forge, so that a stranger's comment cannot cause a fix.
 */
const orderOwnFix = (decision: Decision, fix: FixFacts, input: DecideInput): Decision => {
  if (isPaused(decision.state.pauses)) return decision;
  if (!input.policy.author.enabled || input.events.every(({ source }) => source === 'forge')) return decision;
  const refusal = whyNotNow(decision, input, false) ?? whyNoOwnFix({ ...input, state: decision.state }, fix);
  if (refusal === null) return beginFix(decision, input, null);
  return SILENT.has(refusal) ? decision : note(decision, 'nothing', `no fix: ${refusal}`);
};

/** These refusals are not logged, because every wake-up would repeat them. */
const SILENT: ReadonlySet<string> = new Set(['off', 'busy', 'not_reviewed', 'nothing', 'this review has had its fix']);

const whyNotNow = (decision: Decision, input: DecideInput, isRequested: boolean): FixRefusal | null => {
  const { state } = decision;
  const waits = state.wanted !== null || state.quiet !== null;
  return whyNoFix({ ...input, state }, isRequested) ?? (waits ? 'busy' : null);
};

const beginFix = (
  decision: Decision,
  { facts, freshRunId, nowMs, policy }: DecideInput,
  by: FixRequest | null,
): Decision => {
  const { changeRequest } = facts;
  if (changeRequest === null) return decision;
  const { reviewsDone, fixesUsed } = decision.state;
  const fix: Fix = {
    runId: freshRunId,
    head: changeRequest.head,
    review: reviewsDone,
    number: fixesUsed + 1,
    phase: 'announcing',
    planId: `${freshRunId}-fix`,
    deadlineMs: nowMs + policy.postTimeoutMs,
    requester: by === null ? null : { id: by.actor.id, login: by.actor.login },
    end: null,
  };
  const counted = change(decision, { fixing: fix, fixesUsed: fix.number, fixedReview: fix.review });
  const why = by === null ? `review ${fix.review} has findings that block` : 'a commander requested the fix';
  return scheduleFixOverdue(emit(counted, { kind: 'announce_fix', fix }, `fix ${fix.number}: ${why}`), fix, nowMs);
};
