/**
 * Answers human replies in threads at an unchanged head. One run answers all pending replies. It reviews nothing, counts
 * towards `max_runs`, and adds one cycle to each thread. Pending replies are read from the forge.
 */
import {
  change,
  type DecideInput,
  type Decision,
  endRun,
  enterPhase,
  note,
  emit,
  scheduleOverdue,
} from './decision.ts';
import { mayRun } from './cap-head.ts';
import type { InboxEvent } from '../model/events.ts';
import type { PendingAnswer } from '../model/facts.ts';
import { isPresent, lastReviewed } from '../model/history.ts';
import { inputOf } from '../model/input.ts';
import { isLastAttempt, type ReplyRun, type Run } from '../model/run.ts';
import type { GuardState } from '../model/state.ts';

export const startReplies = (decision: Decision, input: DecideInput): Decision => {
  const newest = newestOf(input.facts.answers);
  if (newest === null || !mayTalk(decision.state, input)) return decision;
  const { replyDebounce } = decision.state;
  if (replyDebounce?.noteId !== newest) return listen(decision, input, newest);
  return input.nowMs < replyDebounce.untilMs ? decision : begin(decision, input, newest);
};

const newestOf = (answers: readonly PendingAnswer[]): number | null =>
  answers.length === 0 ? null : Math.max(...answers.map(({ noteId }) => noteId));

/** Replies are only answered at the last reviewed input: at any other input, a problem that was resolved may be back. */
const mayTalk = ({ running, wanted, quiet, fixing }: GuardState, { facts, policy }: DecideInput): boolean =>
  running === null &&
  wanted === null &&
  quiet === null &&
  fixing === null &&
  policy.triggers.includes('mention') &&
  facts.changeRequest !== null &&
  isPresent(lastReviewed(facts.history), facts.changeRequest);

/** Waits for a quiet time, so that several replies lead to one cycle. A new reply restarts the quiet time. */
const listen = (decision: Decision, input: DecideInput, noteId: number): Decision => {
  const { facts, policy, nowMs, freshRunId } = input;
  if (facts.changeRequest === null) return decision;
  const present = inputOf(facts.changeRequest);
  const untilMs = nowMs + policy.quietMs;
  const heard = emit(
    change(decision, { replyDebounce: { noteId, untilMs } }),
    { kind: 'acknowledge', input: present, noteId, noticeId: freshRunId },
    'an answer in a thread',
  );
  if (policy.quietMs === 0) return begin(heard, input, noteId);
  const event: InboxEvent = { source: 'wake', id: `answers-${noteId}-${untilMs}`, atMs: nowMs };
  return emit(heard, { kind: 'schedule', event, delayMs: policy.quietMs + 50 }, 'more replies may follow');
};

const begin = (decision: Decision, input: DecideInput, newest: number): Decision => {
  const { state } = decision;
  const isUsedUp = !mayRun(state, input);
  if (!isUsedUp && !state.slotHeld) return emit(decision, { kind: 'acquire_slot' }, 'an answer needs a free slot');
  const run = planTalk(state, input, newest);
  if (run === null) return decision;
  if (isUsedUp) return handOver(decision, run, { code: 'MAX_RUNS_EXCEEDED', input });
  const runsUsed = state.runsUsed + 1;
  const started = change(decision, { running: run, runsUsed });
  const { supersededInRow } = state;
  return scheduleOverdue(
    emit(
      started,
      { kind: 'announce', run, runsUsed, supersededInRow },
      `${run.scope.threads.length} threads are answered`,
    ),
    run,
    input.nowMs,
  );
};

const planTalk = (
  state: GuardState,
  { facts, freshRunId, nowMs, policy }: DecideInput,
  newest: number,
): ReplyRun | null =>
  facts.changeRequest === null
    ? null
    : {
        kind: 'reply',
        runId: freshRunId,
        ...inputOf(facts.changeRequest),
        review: Math.max(1, state.reviewsDone),
        attempt: state.failedReplies + 1,
        phase: 'announcing',
        planId: `${freshRunId}-announce`,
        scope: { threads: facts.answers.map(({ findingId }) => findingId), note: newest },
        deadlineMs: nowMs + policy.postTimeoutMs,
      };

/** Marks the replies as answered, in case the forge is slow to show the posted answers. Only a newer reply starts another run. */
export const endReplies = (decision: Decision, run: Run, reason: string): Decision =>
  endRun(change(decision, { failedReplies: 0, ...listenNoMore(run) }), reason);

const listenNoMore = (run: Run): Partial<GuardState> =>
  run.kind === 'reply' ? { replyDebounce: { noteId: run.scope.note, untilMs: Number.MAX_SAFE_INTEGER } } : {};

/** Retries while replies are pending and attempts are left; otherwise hands the threads to a human. */
export const failReplies = (decision: Decision, run: Run, code: string, input: DecideInput): Decision => {
  const failedReplies = Math.max(decision.state.failedReplies + 1, run.attempt);
  const counted = note(change(decision, { failedReplies }), 'nothing', `attempt ${run.attempt} failed: ${code}`);
  if (!isLastAttempt(failedReplies, code, input.policy) && input.facts.answers.length > 0)
    return endRun(counted, 'another attempt follows');
  return handOver(counted, run, { code, input });
};

type Failure = { readonly code: string; readonly input: DecideInput };

const handOver = (decision: Decision, run: Run, { code, input: { nowMs, policy } }: Failure): Decision => {
  const last = enterPhase(run, 'giving_up', `${run.runId}-failure`, nowMs + policy.postTimeoutMs);
  const moved = change(decision, { running: last });
  return scheduleOverdue(emit(moved, { kind: 'give_up', run: last, code }, 'no run is left for answers'), last, nowMs);
};
