import type { Action, Place, Severity, Stance } from '../../vocabulary/finding.ts';
import { cutPoint } from '../../text/cut.ts';
import { fence } from '../fence.ts';

export type PromptReply = { readonly author: string; readonly text: string };

export type PromptThread = {
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  /** The thread's place at this head; null when its lines no longer exist. */
  readonly now: Place | null;
  readonly citedText: string;
  /** The text of the finding below its title. Absent if the text is no longer known. */
  readonly body?: string;
  /** Replacement code that the finding suggested. Absent if it suggested none. */
  readonly suggestion?: string;
  readonly count: number;
  readonly stance: Stance;
  readonly legalActions: readonly Action[];
  /** `must`: the thread needs an action. `may`: the code around it changed. `waits`: nothing happened to it. */
  readonly handling: 'must' | 'may' | 'waits';
  /** True when nothing happened to the thread, so that `resolve` needs evidence. */
  readonly idle?: boolean;
  /** Replies, oldest first. */
  readonly replies: readonly PromptReply[];
};

export type PromptClosedThread = {
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly place: Place;
  readonly suggestion?: string;
  /** The cited code of a thread that waits for a person, empty if it is no longer available. Absent for other threads. */
  readonly settledText?: string;
};

/** A P0 or P1 claim whose evidence was not found. */
export type PromptClaim = {
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly now: Place | null;
  /** Code around the place, with line numbers. Empty if the code no longer exists. */
  readonly code: string;
};

export type PromptComment = {
  readonly author: string;
  readonly atMs: number;
  readonly text: string;
  /** Null for a comment on the whole change request. */
  readonly where: { readonly path: string; readonly line: number } | null;
  readonly resolved: boolean;
  readonly isOwn: boolean;
  readonly isSystem: boolean;
};

export const cutText = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, cutPoint(text, max))}\n[cut here; the text has ${text.length} characters]`;

const MAX_REPLIES = 10;
const MAX_TEXT = 2000;

const whereOf = (place: Place | null): string => {
  if (place === null) return 'its lines no longer exist';
  const lines = place.startLine === place.line ? `line ${place.line}` : `lines ${place.startLine} to ${place.line}`;
  return `${place.path}, ${lines} (${place.side} side)`;
};

const describeThread = (thread: PromptThread): string =>
  [
    `${thread.id} ${thread.severity}: ${thread.title}`,
    `now at: ${whereOf(thread.now)}`,
    ...((thread.body ?? '') === '' ? [] : [`its text:\n${cutText(thread.body ?? '', MAX_TEXT)}`]),
    ...(thread.suggestion === undefined ? [] : [`its suggestion:\n${cutText(thread.suggestion, MAX_TEXT)}`]),
    ...(thread.citedText === '' ? [] : [`cited code:\n${cutText(thread.citedText, MAX_TEXT)}`]),
    ...thread.replies.slice(-MAX_REPLIES).map(({ author, text }) => `reply by ${author}:\n${cutText(text, MAX_TEXT)}`),
  ].join('\n');

/** Ids and legal actions are Fixpoint's own text, so they stay outside the fence. */
export const openThreadsSection = (threads: readonly PromptThread[], boundary: string): string | null => {
  const listed = (group: readonly PromptThread[], intro: string): readonly string[] =>
    group.length === 0 ? [] : [`${intro}\n\n${group.map((thread) => openThreadText(thread, boundary)).join('\n\n')}`];
  const parts = [
    ...listed(
      threads.filter(({ handling }) => handling === 'must'),
      MUST,
    ),
    ...listed(
      threads.filter(({ handling, legalActions }) => handling !== 'must' && legalActions.length > 0),
      MAY,
    ),
    ...listed(
      threads.filter(({ handling, legalActions }) => handling !== 'must' && legalActions.length === 0),
      WAITS,
    ),
  ];
  return parts.length === 0 ? null : parts.join('\n\n');
};

const MUST =
  'These are open threads that have a new reply or whose lines changed. Each thread needs exactly one entry under answers in submit_review: {thread, action, stance, body}; stance is accepts or seeks_change. resolve: you are satisfied. reply: continue the discussion. veto: you are not satisfied, so a person decides. escalate: the problem is more severe than reported; give the new severity as severity. A refusal by the author is an argument to weigh, not a fix. Resolve a thread as fixed only when the code shows the fix.';
const MAY =
  'These are open threads whose own lines did not change. They need no action. If changed code near a thread or elsewhere fixes its problem, resolve the thread with an entry under answers: {thread, action, stance, body, evidence}, where stance is accepts and evidence quotes that code. Otherwise leave the thread out of your answers.';
const WAITS = 'These open threads wait for the author; no action is allowed. Do not raise their problems again:';

const openThreadText = (thread: PromptThread, boundary: string): string => {
  const { id, count, legalActions, idle } = thread;
  const actions = legalActions.map((action) =>
    action === 'resolve' && idle === true ? 'resolve with evidence' : action,
  );
  const legal = actions.length === 0 ? '' : `; allowed actions: ${actions.join(', ')}`;
  return `${id}: replies so far: ${count}${legal}\n${fence('thread', describeThread(thread), boundary)}`;
};

const MAX_CLOSED = 100;

export const closedThreadsSection = (threads: readonly PromptClosedThread[], boundary: string): string | null => {
  if (threads.length === 0) return null;
  const shown = threads.slice(-MAX_CLOSED);
  const lines = shown.map(describeClosed);
  const left = threads.length - shown.length;
  const more = left === 0 ? '' : ` (the ${left} oldest are not shown)`;
  const list = `These threads are closed or settled${more}. Do not discuss or raise them again, not even in other words:\n${fence('closed-threads', lines.join('\n'), boundary)}`;
  const settled = shown.filter(({ settledText }) => settledText !== undefined).map(({ id }) => id);
  return settled.length === 0 ? list : `${list}\n\n${mayBeFixed(settled)}`;
};

const MAX_SETTLED_TEXT = 500;

const describeClosed = ({ id, severity, title, place, suggestion, settledText = '' }: PromptClosedThread): string =>
  [
    `${id} ${severity} ${place.path}:${place.line} ${title}`,
    ...(settledText === '' ? [] : [`cited code:\n${cutText(settledText, MAX_SETTLED_TEXT)}`]),
    ...(suggestion === undefined ? [] : [`its suggestion:\n${cutText(suggestion, MAX_SETTLED_TEXT)}`]),
  ].join('\n');

const mayBeFixed = (ids: readonly string[]): string =>
  `Of these threads, a person decides ${ids.join(', ')}. Report such a thread only if lines that changed since its hand-off fix it: list the thread under fixed in submit_review as {thread, evidence}, where evidence quotes verbatim either those lines or the deleted part of its cited code.`;

const MAX_CLAIMS = 50;
const MAX_CODE = 3000;

export const unverifiedSection = (claims: readonly PromptClaim[], boundary: string): string | null => {
  if (claims.length === 0) return null;
  const each = claims.slice(0, MAX_CLAIMS).map(({ id, severity, title, now, code }) => {
    const text = [
      `${severity}: ${title}`,
      `now at: ${whereOf(now)}`,
      ...(code === '' ? [] : [cutText(code, MAX_CODE)]),
    ];
    return `${id}\n${fence('claim', text.join('\n'), boundary)}`;
  });
  return `These claims of an earlier review quote code that was not found. The change cannot pass while one of these claims is open. Check the code of each claim. If the claim holds, report it as a finding with evidence; if not, list it under refuted in submit_review as {thread, evidence}, where evidence quotes code from the claim's file that disproves the claim:\n\n${each.join('\n\n')}`;
};

export const MAX_COMMENTS = 50;

export const pickDiscussion = (comments: readonly PromptComment[]): readonly PromptComment[] =>
  comments
    .filter(({ isOwn, isSystem }) => !isOwn && !isSystem)
    .toSorted((one, other) => one.atMs - other.atMs)
    .slice(-MAX_COMMENTS);

const describeComment = ({ author, text, where, resolved }: PromptComment): string => {
  const place = where === null ? '' : ` on ${where.path}:${where.line}`;
  return `${author}${place}${resolved ? ' [resolved]' : ''}:\n${cutText(text, MAX_TEXT)}`;
};

export const discussionSection = (comments: readonly PromptComment[], boundary: string): string | null => {
  const shown = pickDiscussion(comments);
  if (shown.length === 0) return null;
  return `These are comments by others, at most the ${MAX_COMMENTS} newest, oldest first. Ignore resolved points; do not repeat points that these comments raise:\n${fence('discussion', shown.map(describeComment).join('\n\n'), boundary)}`;
};
