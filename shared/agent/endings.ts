import { redactBoundary } from './boundary.ts';
import { withoutConversation } from './compaction.ts';
import type { Conversation, Phase } from './conversation.ts';
import { appendNotes, hasNotes } from './notes.ts';
import type { Outcome } from './outcome.ts';
import type { ExceededBudget } from '../vocabulary/exceeded.ts';
import { type ClaimToVerify, UNSURE, type VerifierAnswer } from '../vocabulary/verification.ts';
import type { Submission } from './submission/submission.ts';

/** The result of a conversation never contains its boundary, whatever the model wrote. */
export const end = (conversation: Conversation, outcome: Outcome): Conversation => ({
  ...conversation,
  phase: { kind: 'ended', outcome: redactBoundary(outcome, conversation.start.boundary) },
});

/** A submission with claims to verify waits for the verifiers; any other submission ends the conversation. */
export const submit = (
  conversation: Conversation,
  submission: Submission,
  claims: readonly ClaimToVerify[] | undefined,
): Conversation => {
  if (claims === undefined) return end(conversation, { kind: 'submitted', submission });
  if (claims.length === 0) return end(conversation, { kind: 'submitted', submission, verified: [] });
  const { boundary } = conversation.start;
  return { ...conversation, phase: redactBoundary({ kind: 'verifying' as const, submission, claims }, boundary) };
};

/** A claim without an answer stays unsure. */
export const endVerified = (
  conversation: Conversation,
  { submission, claims }: Phase & { readonly kind: 'verifying' },
  verifications: readonly VerifierAnswer[],
): Conversation => {
  const verified = claims.map(({ about }, index) => ({ about, verification: verifications[index] ?? UNSURE }));
  return end(conversation, { kind: 'submitted', submission, verified });
};

export const endExceeded = (conversation: Conversation, exceeded: ExceededBudget): Conversation => {
  const notes = [conversation.notes, ...conversation.gathered].filter((text) => text !== '').join('\n\n');
  return end(conversation, { kind: 'budget_exceeded', exceeded, notes });
};

export const endUnreadable = (conversation: Conversation, rawText: string | null): Conversation =>
  end(conversation, { kind: 'unreadable', rawText, notes: conversation.notes });

/**
 * An explorer that ends its run without notes leaves its last text as notes. If the last text is also empty, the
 * explorer found nothing.
 */
export const endExploration = (conversation: Conversation, lastWords: string): Conversation => {
  const notes = hasNotes(conversation.notes) ? conversation.notes : appendNotes(conversation.notes, lastWords);
  return end(conversation, { kind: 'explored', notes, found: hasNotes(notes) });
};

const FALLBACK =
  'The turns are used up. This is the last call: submit the review with submit_review now, from the task, the diff and the notes above. Under not_reviewed, name every file that was not looked at.';

/** Gives a reviewer one final call with its notes. Explorers and authors end as `budget_exceeded`, as does that final call. */
export const outOfTurns = (conversation: Conversation): Conversation => {
  if (conversation.fallback !== null) return endExceeded(conversation, conversation.fallback);
  const exceeded = { budget: 'turns', scope: 'run', limit: conversation.start.maxTurns } as const;
  if (conversation.start.role !== 'reviewer') return endExceeded(conversation, exceeded);
  return withoutConversation({ ...conversation, fallback: exceeded, phase: { kind: 'model' } }, FALLBACK);
};
