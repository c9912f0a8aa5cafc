/**
 * Reasoning is sent back in the field in which it came, and only with the calls of the same message. DeepSeek and
 * OpenRouter require it there until the tool calls are finished. Chat templates drop it everywhere else.
 * https://api-docs.deepseek.com/guides/thinking_mode, https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
import { z } from 'zod';
import type { MessagePart, ReasoningDetail } from './schema.ts';

export const Reasoning = z.object({
  reasoning_content: z.string().optional(),
  reasoning: z.string().optional(),
  reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(),
  /** `extra_content` of calls, by the place of the call in its message: the loop may rename a call. Older ones: by id. */
  call_extras: z.record(z.string(), z.unknown()).optional(),
});
export type Reasoning = z.output<typeof Reasoning>;

const joined = (one: unknown, other: unknown): unknown =>
  typeof one === 'string' && typeof other === 'string' ? one + other : (other ?? one);

const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

const mergeDetail = (one: ReasoningDetail, other: ReasoningDetail): ReasoningDetail => {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const entries = keys.map((key) => [key, GROWING.has(key) ? joined(one[key], other[key]) : (other[key] ?? one[key])]);
  return { type: one.type, ...Object.fromEntries(entries) };
};

const addDetail = (details: readonly ReasoningDetail[], next: ReasoningDetail): readonly ReasoningDetail[] => {
  const last = details.at(-1);
  const isSame = last !== undefined && last.type === next.type && (last.index ?? null) === (next.index ?? null);
  return isSame ? [...details.slice(0, -1), mergeDetail(last, next)] : [...details, next];
};

export const addReasoning = (known: Reasoning, part: MessagePart): Reasoning => {
  const { reasoning_content: content, reasoning: words, reasoning_details: details } = part;
  if (!content && !words && !details) return known;
  const all = (details ?? []).reduce(addDetail, known.reasoning_details ?? []);
  return {
    ...known,
    ...(content ? { reasoning_content: (known.reasoning_content ?? '') + content } : {}),
    ...(words ? { reasoning: (known.reasoning ?? '') + words } : {}),
    ...(all.length === 0 ? {} : { reasoning_details: [...all] }),
  };
};

export const isEmpty = (reasoning: Reasoning): boolean => Object.keys(reasoning).length === 0;

/** Bytes that the model wrote. The same words can be in several fields. */
export const reasoningBytes = ({ reasoning_content, reasoning, reasoning_details }: MessagePart): number =>
  Math.max(
    Buffer.byteLength(reasoning_content ?? ''),
    Buffer.byteLength(reasoning ?? ''),
    reasoning_details ? Buffer.byteLength(JSON.stringify(reasoning_details)) : 0,
  );
