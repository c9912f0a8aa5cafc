/** Every outside input of a conversation, in order. `turns.ts` resumes and replays a run by applying these inputs in order. */
import { z } from 'zod';
import { ModelReply, TextBlock, ToolSchema } from './model/model.ts';
import { ExceededBudget } from '../vocabulary/exceeded.ts';
import { Spent } from '../vocabulary/spent.ts';
import { VerifierAnswer } from '../vocabulary/verification.ts';
import { ToolResult } from './tool-result.ts';

const Whole = z.number().int().nonnegative();

export const ConversationStart = z.object({
  role: z.enum(['reviewer', 'explorer', 'verifier', 'author']),
  model: z.string(),
  maxTurns: Whole.min(1),
  /** Extra turns in which the model may correct a submission that broke the protocol or could not be read. */
  maxCorrections: Whole,
  maxOutputTokens: Whole.min(1),
  /** Limit for the whole run; 0 for an explorer, which cannot start explorers. */
  maxExplorers: Whole,
  /** Number of input tokens at which notes replace the middle of the conversation. */
  compactAtTokens: Whole.min(1),
  /** Finders that looked at the change before the conversation began, and what they cost. Absent if there were none. */
  finders: z.object({ count: Whole, spent: Spent }).optional(),
  /** Fences everything that a tool returns (`boundary.ts`). A resumed run keeps it. */
  boundary: z.string().regex(/^[0-9a-z]{16,64}$/),
  system: z.array(TextBlock).min(1),
  tools: z.array(ToolSchema),
  opening: z.array(TextBlock).min(1),
});
export type ConversationStart = z.output<typeof ConversationStart>;

export const ExplorerAnswer = z.object({
  callId: z.string(),
  /** `nothing_found` is an answer; `failed` and `budget_exceeded` are not, but may have partial notes. */
  outcome: z.enum(['found', 'nothing_found', 'failed', 'budget_exceeded']),
  notes: z.string(),
});
export type ExplorerAnswer = z.output<typeof ExplorerAnswer>;

/** `spent` covers everything up to this input, including failed attempts. */
export const ConversationInput = z.discriminatedUnion('kind', [
  /** `model`: the model that answered, if it is not the model of the start. */
  z.object({ kind: z.literal('reply'), reply: ModelReply, model: z.string().optional(), spent: Spent }),
  /** One result per pending call, in call order. */
  z.object({ kind: z.literal('results'), results: z.array(ToolResult), spent: Spent }),
  z.object({ kind: z.literal('explored'), answers: z.array(ExplorerAnswer), spent: Spent }),
  /** One answer per claim that waits, in order. */
  z.object({ kind: z.literal('verified'), verifications: z.array(VerifierAnswer), spent: Spent }),
  z.object({ kind: z.literal('exceeded'), exceeded: ExceededBudget, spent: Spent }),
  /** An execution stopped for a transient reason. The next execution makes the same request again. */
  z.object({ kind: z.literal('interrupted'), spent: Spent }),
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
