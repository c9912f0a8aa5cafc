/**
 * Reads the CLI's review by the same rules as the review of any other model, and converts the end of its conversation
 * to an outcome.
 */
import { redactBoundary } from '../../../../shared/agent/boundary.ts';
import { appendNotes } from '../../../../shared/agent/notes.ts';
import type { KeptParts } from '../../../../shared/agent/submission/kept.ts';
import type { Outcome } from '../../../../shared/agent/outcome.ts';
import type { Tool } from '../../../../shared/agent/tool.ts';
import type { ToolResult } from '../../../../shared/agent/tool-result.ts';
import type { SessionResult, Read } from '../../../../shared/claude-code/run-session.ts';

export type ReviewAnswer = { readonly outcome: Outcome; readonly notes: string };

/** Reads the answers of one conversation in their order, because a correction contains only what was refused. */
export const readReview = (submit: Tool, boundary: string) => {
  let kept: KeptParts | null = null;
  return async (answer: unknown, signal: AbortSignal): Promise<Read<ReviewAnswer>> => {
    const given = redactBoundary(answer, boundary);
    const read = await submit.execute(given, signal, { kept });
    const notes = notesIn(given);
    if (read.kind !== 'refused') return { kind: 'taken', answer: { outcome: taken(read), notes } };
    kept = read.kept ?? kept;
    return {
      kind: 'refused',
      problems: read.problems.map(({ text }) => text),
      rest: { outcome: givenUp(read), notes },
    };
  };
};

const modelFailed = (code: string): Outcome => ({ kind: 'model_failed', code, notes: '' });

const taken = (read: Exclude<ToolResult, { readonly kind: 'refused' }>): Outcome =>
  // `submit_review` either submits or refuses.
  read.kind === 'submitted' ? read : modelFailed('UNEXPECTED');

/** The outcome if a review is still invalid after the last correction; our own loop has the same outcome. */
const givenUp = (read: ToolResult & { readonly kind: 'refused' }): Outcome => {
  if (read.fallback !== null) return { kind: 'submitted', submission: read.fallback };
  if (read.unreadable !== null) return { kind: 'unreadable', rawText: read.unreadable, notes: '' };
  const problems = read.problems.filter(({ kind }) => kind === 'violation').map(({ text }) => text);
  return { kind: 'violation', problems, notes: '' };
};

const notesIn = (answer: unknown): string => {
  const notes = answer instanceof Object && 'notes' in answer ? answer.notes : null;
  return typeof notes === 'string' ? appendNotes('', notes) : '';
};

export type EndedConversation = Exclude<
  SessionResult<ReviewAnswer>,
  { readonly kind: 'superseded' } | { readonly kind: 'session_lost' }
>;

export const reviewOf = (ended: EndedConversation): ReviewAnswer => {
  switch (ended.kind) {
    case 'answered':
      return ended.answer;
    case 'exceeded':
      return { outcome: { kind: 'budget_exceeded', exceeded: ended.exceeded, notes: '' }, notes: '' };
    case 'refusal':
      return { outcome: { kind: 'refusal', category: null, notes: '' }, notes: '' };
    case 'unreadable':
      return { outcome: { kind: 'unreadable', rawText: null, notes: '' }, notes: '' };
    case 'failed':
      return { outcome: modelFailed(ended.code), notes: '' };
    default:
      return ended satisfies never;
  }
};
