import type { KnownPrefix } from './model/budget.ts';
import type { Message, ToolCallBlock } from './model/model.ts';
import type { Outcome } from './outcome.ts';
import type { ExceededBudget } from '../vocabulary/exceeded.ts';
import { NOTHING_SPENT, type Spent } from '../vocabulary/spent.ts';
import type { ToolResult } from './tool-result.ts';
import type { ConversationStart } from './transcript.ts';

/**
 * - `model`: it is the model's turn. Left by a reply.
 * - `tools`: the calls of the last reply wait for their results. `fromText`: the reply was text, read as a submission.
 * - `explorers`: some results are there, the named calls wait for explorers.
 * - `ended`: nothing follows.
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
  | { readonly kind: 'ended'; readonly outcome: Outcome };

export type WaitingExplorer = { readonly callId: string; readonly question: string; readonly files: readonly string[] };

/** A value: every step gives a new one. */
export type Conversation = {
  readonly start: ConversationStart;
  readonly phase: Phase;
  /** What the next request holds; `compaction.ts` may have replaced the middle. */
  readonly messages: readonly Message[];
  readonly notes: string;
  /** What explorers brought, fenced, one text each. */
  readonly gathered: readonly string[];
  /** Replies so far. */
  readonly turns: number;
  readonly corrections: number;
  readonly explorers: number;
  /** Set for the single call after the last turn: only task, notes and `submit_review`. Names the budget that ran out. */
  readonly fallback: ExceededBudget | null;
  readonly compactions: number;
  readonly known: KnownPrefix | null;
  readonly lastText: string | null;
  readonly spent: Spent;
};

export const startConversation = (start: ConversationStart): Conversation => ({
  start,
  phase: { kind: 'model' },
  messages: [{ role: 'user', blocks: start.opening }],
  notes: '',
  gathered: [],
  turns: 0,
  corrections: 0,
  explorers: 0,
  fallback: null,
  compactions: 0,
  known: null,
  lastText: null,
  spent: NOTHING_SPENT,
});

/** Corrections are extra: they take no turn away, and their number is bounded. */
export const regularTurns = (conversation: Conversation): number => conversation.turns - conversation.corrections;

/** Whether the next reply is the last one: then only the closing tool is on offer. */
export const isLastTurn = (conversation: Conversation): boolean =>
  conversation.fallback !== null || regularTurns(conversation) + 1 >= conversation.start.maxTurns;

export const correctionsLeft = ({ start, corrections, fallback }: Conversation): number =>
  fallback === null ? Math.max(0, start.maxCorrections - corrections) : 0;
