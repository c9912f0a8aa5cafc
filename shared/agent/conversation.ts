import type { KnownPrefix } from './model/budget.ts';
import type { Message, TextBlock, ToolCallBlock } from './model/model.ts';
import type { Outcome } from './outcome.ts';
import type { ExceededBudget } from '../vocabulary/exceeded.ts';
import { NOTHING_SPENT, type Spent } from '../vocabulary/spent.ts';
import type { ClaimToVerify } from '../vocabulary/verification.ts';
import type { KeptParts } from './submission/kept.ts';
import type { Submission } from './submission/submission.ts';
import { TOOL_LIMITS } from './tool-limits.ts';
import type { ToolResult } from './tool-result.ts';
import type { ConversationStart } from './transcript.ts';

/**
 * - `model`: the next step is a model call. Its reply ends this phase.
 * - `tools`: the calls of the last reply wait for their results. `fromText`: the reply was text and is read as a submission.
 * - `explorers`: some results exist; the calls in `waiting` wait for explorers.
 * - `verifying`: the submission is accepted, and its claims wait for verifiers.
 * - `ended`: the conversation is over.
 */
export type Phase =
  | { readonly kind: 'model' }
  | { readonly kind: 'tools'; readonly calls: readonly ToolCallBlock[]; readonly fromText: boolean }
  | {
      readonly kind: 'explorers';
      readonly calls: readonly ToolCallBlock[];
      readonly results: readonly ToolResult[];
      readonly waiting: readonly WaitingExplorer[];
    }
  | { readonly kind: 'verifying'; readonly submission: Submission; readonly claims: readonly ClaimToVerify[] }
  | { readonly kind: 'ended'; readonly outcome: Outcome };

export type WaitingExplorer = { readonly callId: string; readonly question: string; readonly files: readonly string[] };

export type Conversation = {
  readonly start: ConversationStart;
  readonly phase: Phase;
  readonly messages: readonly Message[];
  readonly notes: string;
  /** Notes of the explorers: one fenced text per explorer. */
  readonly gathered: readonly string[];
  readonly turns: number;
  /** Ids of all calls so far, also of those that a compaction has removed: no id is used twice in a conversation. */
  readonly callIds: ReadonlySet<string>;
  readonly corrections: number;
  /** The valid part of the submissions that were refused; null if there is none. */
  readonly kept: KeptParts | null;
  readonly explorers: number;
  /** The exceeded budget, set during the one call after the last turn. The call has only task, notes and `submit_review`. */
  readonly fallback: ExceededBudget | null;
  readonly compactions: number;
  /** Value of `turns` at the last compaction; null before the first. */
  readonly compactedAt: number | null;
  readonly known: KnownPrefix | null;
  readonly lastText: string | null;
  readonly spent: Spent;
};

const firstTurn = ({ maxTurns }: ConversationStart): TextBlock => ({
  kind: 'text',
  text: `[Turn 1 of ${maxTurns}; up to ${TOOL_LIMITS.callsPerTurn} calls fit in one turn]`,
});

export const startConversation = (start: ConversationStart): Conversation => ({
  start,
  phase: { kind: 'model' },
  messages: [{ role: 'user', blocks: [...start.opening, firstTurn(start)] }],
  notes: '',
  gathered: [],
  turns: 0,
  callIds: new Set(),
  corrections: 0,
  kept: null,
  explorers: 0,
  fallback: null,
  compactions: 0,
  compactedAt: null,
  known: null,
  lastText: null,
  spent: start.finders?.spent ?? NOTHING_SPENT,
});

/** Corrections do not count as turns; `maxCorrections` limits them separately. */
export const regularTurns = (conversation: Conversation): number => conversation.turns - conversation.corrections;

export const isLastTurn = (conversation: Conversation): boolean =>
  conversation.fallback !== null || regularTurns(conversation) + 1 >= conversation.start.maxTurns;

export const correctionsLeft = ({ start, corrections, fallback }: Conversation): number =>
  fallback === null ? Math.max(0, start.maxCorrections - corrections) : 0;
