/** How reports of the author and of the poster move the fix in progress. */
import { change, type DecideInput, type Decision, isSettled, note, order, scheduleFixOverdue } from './decision.ts';
import type { FixEvent, InboxEvent, PostEvent } from '../model/events.ts';
import { inputOf } from '../model/input.ts';
import type { Fix, FixEnd } from '../model/fixes.ts';

export const applyFixReports = (board: Decision, input: DecideInput): Decision => {
  const reported = input.events.reduce((current, event) => applyFixReport(current, event, input), board);
  const fix = reported.state.fixing;
  return fix !== null && input.nowMs >= fix.deadlineMs ? overdue(reported, fix, input) : reported;
};

const applyFixReport = (board: Decision, event: InboxEvent, input: DecideInput): Decision => {
  if (event.source !== 'fix' && event.source !== 'post') return board;
  const fix = board.state.fixing;
  if (event.source === 'post') {
    return fix?.runId === event.runId ? applyPosted(board, event, fix, input) : board;
  }
  if (fix?.runId !== event.runId) return note(board, 'nothing', 'a report of a fix that is not the current one');
  return applyAuthorReport(board, event, fix, input);
};

const applyAuthorReport = (board: Decision, event: FixEvent, fix: Fix, input: DecideInput): Decision => {
  // The fix's own deadline decides: this event may belong to an earlier phase.
  if (event.kind === 'overdue') return board;
  if (fix.phase !== 'working') return note(board, 'nothing', 'a repeated report of the author');
  return tell(board, fix, { end: { kind: event.kind, code: event.code, pushed: event.pushed }, input });
};

const HEAD_MOVED: FixEnd = { kind: 'stopped', code: 'HEAD_MOVED', pushed: null };

const applyPosted = (board: Decision, event: PostEvent, fix: Fix, input: DecideInput): Decision => {
  if (fix.planId !== event.planId) return note(board, 'nothing', 'a repeated report of the poster');
  if (fix.phase === 'telling') return endFix(board, fix, input);
  switch (event.outcome) {
    case 'posted':
      return beginWork(board, fix, input);
    case 'head_moved':
      return tell(board, fix, { end: HEAD_MOVED, input });
    case 'failed':
      return tell(board, fix, { end: { kind: 'failed', code: event.code, pushed: null }, input });
    default:
      return event.outcome satisfies never;
  }
};

const beginWork = (board: Decision, fix: Fix, { nowMs, policy }: DecideInput): Decision => {
  const working: Fix = { ...fix, phase: 'working', planId: null, deadlineMs: nowMs + policy.author.timeoutMs };
  const moved = change(board, { fixing: working });
  return scheduleFixOverdue(order(moved, { kind: 'fix', fix: working }, 'the fix is announced'), working, nowMs);
};

type Ending = { readonly end: FixEnd; readonly input: DecideInput };

const tell = (board: Decision, fix: Fix, { end, input: { nowMs, policy } }: Ending): Decision => {
  const planId = `${fix.runId}-fixed`;
  const telling: Fix = { ...fix, phase: 'telling', planId, deadlineMs: nowMs + policy.postTimeoutMs, end };
  const moved = change(board, { fixing: telling });
  const why = `fix ${fix.number} ${end.kind}${end.code === null ? '' : `: ${end.code}`}`;
  return scheduleFixOverdue(order(moved, { kind: 'tell_fix', fix: telling }, why), telling, nowMs);
};

/** What nobody could be told about is over too; the count stands. */
const overdue = (board: Decision, fix: Fix, input: DecideInput): Decision =>
  fix.phase === 'telling'
    ? endFix(board, fix, input)
    : tell(board, fix, { end: { kind: 'failed', code: 'FIX_OVERDUE', pushed: null }, input });

/** The push may have been the bot's own, of which no event comes: the head that it made is wanted from here. */
const endFix = (board: Decision, fix: Fix, { facts }: DecideInput): Decision => {
  const ended = note(change(board, { fixing: null }), 'end_fix', `fix ${fix.number} is over`);
  const { changeRequest } = facts;
  const { quiet, wanted } = ended.state;
  const pushed = fix.end?.pushed ?? null;
  if (changeRequest === null || changeRequest.head === fix.head) return ended;
  const present = inputOf(changeRequest);
  if (isSettled(ended.state, present)) return ended;
  if (quiet !== null || wanted !== null || pushed === null) return ended;
  return note(change(ended, { wanted: present }), 'want', 'the fix made a new head');
};
