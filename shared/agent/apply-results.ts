import { type Conversation, correctionsLeft, type Phase, regularTurns, type WaitingExplorer } from './conversation.ts';
import { end, endExploration, endUnreadable, outOfTurns, submit } from './endings.ts';
import type { ToolCallBlock, UserBlock } from './model/model.ts';
import { appendNotes, notesAreFull } from './notes.ts';
import { correctionText } from './submission/correction-text.ts';
import type { ToolResult } from './tool-result.ts';
import type { ExplorerAnswer } from './transcript.ts';
import { UNSURE, type VerifierAnswer } from '../vocabulary/verification.ts';

type Tools = Phase & { readonly kind: 'tools' };
type Explorers = Phase & { readonly kind: 'explorers' };
type Refused = ToolResult & { readonly kind: 'refused' };

const failed = (text: string): ToolResult => ({ kind: 'failed', text });

const takeNotes = (conversation: Conversation, results: readonly ToolResult[]): Conversation => ({
  ...conversation,
  notes: results.reduce(
    (notes, one) => (one.kind === 'noted' ? appendNotes(notes, one.text) : notes),
    conversation.notes,
  ),
});

export const applyResults = (before: Conversation, phase: Tools, given: readonly ToolResult[]): Conversation => {
  const results = refuseSeveral(phase.calls.map((_, index) => given[index] ?? failed('no result')));
  const submitted = results.find((result) => result.kind === 'submitted');
  if (submitted !== undefined) return submit(before, submitted.submission, submitted.claims);
  const verification = verificationIn(results);
  if (verification !== null) return end(before, { kind: 'verified', verification });
  const conversation = takeNotes(before, results);
  const refused = results.findLast((result) => result.kind === 'refused');
  if (refused !== undefined) return applyRefusal(conversation, phase, { refused, results });
  const isOver = conversation.fallback !== null || regularTurns(conversation) >= conversation.start.maxTurns;
  if (isOver && hasClosed(conversation, results)) return endExploration(conversation, '');
  if (isOver) return outOfTurns(conversation);
  return awaitExplorers(conversation, phase, results);
};

const isSubmission = ({ kind }: ToolResult): boolean => kind === 'submitted' || kind === 'refused';

/** Taking one of several reviews would lose what the others say. A repeated review says nothing else. */
const refuseSeveral = (results: readonly ToolResult[]): readonly ToolResult[] => {
  const reviews = results.filter(isSubmission);
  const isOne = new Set(reviews.map((review) => JSON.stringify(review))).size <= 1;
  if (isOne || !reviews.some(({ kind }) => kind === 'submitted')) return results;
  const text = `submit_review was called ${reviews.length} times in one turn; call it once, with the whole review`;
  const refused: Refused = {
    kind: 'refused',
    problems: [{ kind: 'violation', text }],
    fallback: null,
    unreadable: null,
  };
  return results.map((result) => (isSubmission(result) ? refused : result));
};

/** Outcomes that contradict each other prove nothing. Null if there is none. */
const verificationIn = (results: readonly ToolResult[]): VerifierAnswer | null => {
  const [first, ...others] = results.flatMap((result) => (result.kind === 'verified' ? [result.verification] : []));
  if (first === undefined) return null;
  return others.every(({ outcome }) => outcome === first.outcome) ? first : UNSURE;
};

/**
 * An author has finished if every call of its last turn succeeded. If a call failed, the author has run out of turns.
 */
const hasClosed = ({ start }: Conversation, results: readonly ToolResult[]): boolean =>
  start.role === 'author' && results.every(({ kind }) => kind !== 'failed');

/**
 * A refused submission uses up one correction. If no correction is left, the valid part of the submission is accepted,
 * or the run fails.
 */
const applyRefusal = (
  conversation: Conversation,
  phase: Tools,
  { refused, results }: { readonly refused: Refused; readonly results: readonly ToolResult[] },
): Conversation => {
  const isProse = phase.fromText && refused.unreadable !== null;
  const isOver = conversation.fallback !== null || regularTurns(conversation) >= conversation.start.maxTurns;
  if (isProse && isOver) return outOfTurns(conversation);
  if (correctionsLeft(conversation) > 0) {
    const kept = refused.kept ?? conversation.kept;
    const next = { ...conversation, corrections: conversation.corrections + 1, kept };
    return answer(next, phase, refuseExplorers(results));
  }
  if (refused.fallback !== null) return submit(conversation, refused.fallback, refused.fallbackClaims);
  if (conversation.fallback !== null) return outOfTurns(conversation);
  if (refused.unreadable !== null) return endUnreadable(conversation, refused.unreadable);
  const problems = refused.problems.filter(({ kind }) => kind === 'violation').map(({ text }) => text);
  return end(conversation, { kind: 'violation', problems, notes: conversation.notes });
};

const refuseExplorers = (results: readonly ToolResult[]): readonly ToolResult[] =>
  results.map((result) =>
    result.kind === 'explore' ? failed('a turn that submits a review cannot start explorers') : result,
  );

/** Starts explorers up to the limit of the run, in call order. Every further request gets a failed result. */
const awaitExplorers = (conversation: Conversation, phase: Tools, given: readonly ToolResult[]): Conversation => {
  const max = conversation.start.maxExplorers;
  const waiting: WaitingExplorer[] = [];
  const results = given.map((result, index): ToolResult => {
    if (result.kind !== 'explore') return result;
    if (conversation.explorers + waiting.length >= max) return failed(`a review has at most ${max} explorers`);
    waiting.push({ callId: phase.calls[index]?.id ?? '', ...result.question });
    return result;
  });
  if (waiting.length === 0) return answer(conversation, phase, results);
  return {
    ...conversation,
    explorers: conversation.explorers + waiting.length,
    phase: { kind: 'explorers', calls: phase.calls, results, waiting },
  };
};

const SAYS: Readonly<Record<ExplorerAnswer['outcome'], string>> = {
  found: 'The explorer found:',
  nothing_found: 'The explorer looked and found nothing.',
  failed: 'The explorer failed before it finished. Its notes until then:',
  budget_exceeded: 'The explorer ran out of budget. Its notes are incomplete:',
};

/** Contract: `answers` are redacted and fenced. A call without an answer counts as failed. */
export const applyExplored = (
  conversation: Conversation,
  phase: Explorers,
  answers: readonly ExplorerAnswer[],
): Conversation => {
  const byCall = new Map(answers.map((one) => [one.callId, one]));
  const results = phase.results.map((result, index): ToolResult => {
    if (result.kind !== 'explore') return result;
    const answered = byCall.get(phase.calls[index]?.id ?? '');
    if (answered === undefined) return failed(SAYS.failed);
    const text = `${SAYS[answered.outcome]}\n${answered.notes}`.trim();
    return answered.outcome === 'failed' ? failed(text) : { kind: 'text', text };
  });
  const gathered = answers.filter(({ notes }) => notes !== '').map(({ notes }) => notes);
  const known = { ...conversation, gathered: [...conversation.gathered, ...gathered] };
  return answer(known, { kind: 'tools', calls: phase.calls, fromText: false }, results);
};

const WHOLE = 'Submit the whole review with submit_review, with these points corrected.';

const problemText = ({ problems, kept = null }: Refused): string =>
  [
    'The review was not accepted:',
    ...problems.map(({ text }) => `- ${text}`),
    kept === null ? WHOLE : correctionText(kept),
  ].join('\n');

const textOf = (result: ToolResult, conversation: Conversation): string => {
  switch (result.kind) {
    case 'text':
    case 'failed':
      return result.text;
    case 'noted':
      return notesAreFull(conversation.notes) ? 'The notes are full; text that did not fit was dropped.' : 'Noted.';
    case 'refused':
      return problemText(result);
    case 'explore':
    case 'submitted':
    case 'verified':
      return '';
    default:
      return result satisfies never;
  }
};

const isError = ({ kind }: ToolResult): boolean => kind === 'failed' || kind === 'refused';

const answer = (conversation: Conversation, phase: Tools, results: readonly ToolResult[]): Conversation => {
  // A correction adds a turn to both numbers, so that they agree with the turns that were used.
  const most = conversation.start.maxTurns + conversation.corrections;
  const at = Math.min(conversation.turns + 1, most);
  const standing: UserBlock = { kind: 'text', text: `[Turn ${at} of ${most}]` };
  const blocks = phase.calls.map((call, index): UserBlock => {
    const result = results[index] ?? failed('no result');
    return asBlock(call, textOf(result, conversation), { fromText: phase.fromText, isError: isError(result) });
  });
  const message = { role: 'user' as const, blocks: [...blocks, standing] };
  return { ...conversation, phase: { kind: 'model' }, messages: [...conversation.messages, message] };
};

/** A review that was read from text has no tool call, so its problems are returned as text, not as a tool result. */
const asBlock = (
  call: ToolCallBlock,
  text: string,
  { fromText, isError }: { readonly fromText: boolean; readonly isError: boolean },
): UserBlock =>
  fromText ? { kind: 'text', text } : { kind: 'tool_result', callId: call.id, text: text || '(nothing)', isError };
