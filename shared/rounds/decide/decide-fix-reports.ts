import { change, type DecideInput, type Decision, isInputSettled, note, emit, scheduleFixOverdue } from './decision.ts';
import type { FixEvent, InboxEvent, PostEvent } from '../model/events.ts';
import { inputOf } from '../model/input.ts';
import type { Fix, FixEnd } from '../model/fixes.ts';

export const applyFixReports = (decision: Decision, input: DecideInput): Decision => {
  const reported = input.events.reduce((current, event) => applyFixReport(current, event, input), decision);
  const fix = reported.state.fixing;
  return fix !== null && input.nowMs >= fix.deadlineMs ? overdue(reported, fix, input) : reported;
};

const applyFixReport = (decision: Decision, event: InboxEvent, input: DecideInput): Decision => {
  if (event.source !== 'fix' && event.source !== 'post') return decision;
  const fix = decision.state.fixing;
  if (event.source === 'post') {
    return fix?.runId === event.runId ? applyPosted(decision, event, fix, input) : decision;
  }
  if (fix?.runId !== event.runId) return note(decision, 'nothing', 'the report is not about the current fix');
  return applyAuthorReport(decision, event, fix, input);
};

const applyAuthorReport = (decision: Decision, event: FixEvent, fix: Fix, input: DecideInput): Decision => {
  // Only the deadline of the fix counts: this event may belong to an earlier phase.
  if (event.kind === 'overdue') return decision;
  if (fix.phase !== 'working') return note(decision, 'nothing', 'the author repeated its report');
  return tell(decision, fix, { end: { kind: event.kind, code: event.code, pushed: event.pushed }, input });
};

const HEAD_MOVED: FixEnd = { kind: 'stopped', code: 'HEAD_MOVED', pushed: null };

const applyPosted = (decision: Decision, event: PostEvent, fix: Fix, input: DecideInput): Decision => {
  if (fix.planId !== event.planId) return note(decision, 'nothing', 'the poster repeated its report');
  if (fix.phase === 'telling') return endFix(decision, fix, input);
  switch (event.outcome) {
    case 'posted':
      return beginWork(decision, fix, input);
    case 'head_moved':
    case 'gave_way':
      return tell(decision, fix, { end: HEAD_MOVED, input });
    case 'failed':
      return tell(decision, fix, { end: { kind: 'failed', code: event.code, pushed: null }, input });
    default:
      return event.outcome satisfies never;
  }
};

const beginWork = (decision: Decision, fix: Fix, { nowMs, policy }: DecideInput): Decision => {
  const working: Fix = { ...fix, phase: 'working', planId: null, deadlineMs: nowMs + policy.author.timeoutMs };
  const moved = change(decision, { fixing: working });
  return scheduleFixOverdue(emit(moved, { kind: 'fix', fix: working }, 'the fix is announced'), working, nowMs);
};

type Ending = { readonly end: FixEnd; readonly input: DecideInput };

const tell = (decision: Decision, fix: Fix, { end, input: { nowMs, policy } }: Ending): Decision => {
  const planId = `${fix.runId}-fixed`;
  const telling: Fix = { ...fix, phase: 'telling', planId, deadlineMs: nowMs + policy.postTimeoutMs, end };
  const moved = change(decision, { fixing: telling });
  const why = `fix ${fix.number} ${end.kind}${end.code === null ? '' : `: ${end.code}`}`;
  return scheduleFixOverdue(emit(moved, { kind: 'tell_fix', fix: telling }, why), telling, nowMs);
};

/** A fix ends at its deadline even if its end could not be posted; it still counts. */
const overdue = (decision: Decision, fix: Fix, input: DecideInput): Decision =>
  fix.phase === 'telling'
    ? endFix(decision, fix, input)
    : tell(decision, fix, { end: { kind: 'failed', code: 'FIX_OVERDUE', pushed: null }, input });

/** The forge may send no event for the bot's own push, so the new head becomes wanted here. */
const endFix = (decision: Decision, fix: Fix, { facts }: DecideInput): Decision => {
  const ended = note(change(decision, { fixing: null }), 'end_fix', `fix ${fix.number} has ended`);
  const { changeRequest } = facts;
  const { quiet, wanted } = ended.state;
  const pushed = fix.end?.pushed ?? null;
  if (changeRequest === null || changeRequest.head === fix.head) return ended;
  const present = inputOf(changeRequest);
  if (isInputSettled(ended.state, present)) return ended;
  if (quiet !== null || wanted !== null || pushed === null) return ended;
  return note(change(ended, { wanted: present }), 'want', 'the fix made a new head');
};
