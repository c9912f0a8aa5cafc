/**
 * Everything that came into a conversation from outside, in order. The conversation itself is computed from it
 * (`turns.ts`), so that resuming, replaying and explaining a run are the same thing: a fold.
 */
import { z } from 'zod';
import { ModelReply, TextBlock, ToolSchema } from './model/model.ts';
import { ExceededBudget } from '../vocabulary/exceeded.ts';
import { Spent } from '../vocabulary/spent.ts';
import { ToolResult } from './tool-result.ts';

const Whole = z.number().int().nonnegative();

export const ConversationStart = z.object({
  role: z.enum(['reviewer', 'explorer', 'author']),
  model: z.string(),
  maxTurns: Whole.min(1),
  /** Extra turns in which the model may correct what broke the protocol or could not be read. */
  maxCorrections: Whole,
  maxOutputTokens: Whole.min(1),
  /** In all of the run; 0 for an explorer: depth is one. */
  maxExplorers: Whole,
  /** Input tokens from which on the middle of the conversation is replaced by notes. */
  compactAtTokens: Whole.min(1),
  /** Random, per conversation: fences everything that a tool returns. */
  boundary: z.string().regex(/^[0-9a-z]{16,64}$/),
  system: z.array(TextBlock).min(1),
  tools: z.array(ToolSchema),
  opening: z.array(TextBlock).min(1),
});
export type ConversationStart = z.output<typeof ConversationStart>;

export const ExplorerAnswer = z.object({
  callId: z.string(),
  /** `nothing_found` is an answer; `failed` and `budget_exceeded` are none, and may come with partial notes. */
  outcome: z.enum(['found', 'nothing_found', 'failed', 'budget_exceeded']),
  notes: z.string(),
});
export type ExplorerAnswer = z.output<typeof ExplorerAnswer>;

/** `spent` is what it took to get this input, everything that failed on the way included. */
export const ConversationInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reply'), reply: ModelReply, spent: Spent }),
  /** One result per pending call, in their order. */
  z.object({ kind: z.literal('results'), results: z.array(ToolResult), spent: Spent }),
  z.object({ kind: z.literal('explored'), answers: z.array(ExplorerAnswer), spent: Spent }),
  z.object({ kind: z.literal('exceeded'), exceeded: ExceededBudget, spent: Spent }),
  /** An execution broke off in a way that may pass; the next one asks the same again. */
  z.object({ kind: z.literal('interrupted'), spent: Spent }),
  /** The provider refused the request for its length. */
  z.object({ kind: z.literal('too_long'), spent: Spent }),
  z.object({ kind: z.literal('model_failed'), code: z.string(), spent: Spent }),
]);
export type ConversationInput = z.output<typeof ConversationInput>;

export const Transcript = z.object({
  v: z.literal(1),
  start: ConversationStart,
  inputs: z.array(ConversationInput).max(1000),
});
export type Transcript = z.output<typeof Transcript>;

export const startTranscript = (start: ConversationStart): Transcript => ({ v: 1, start, inputs: [] });
