/** A prompt as the cache sees it: blocks in the order tools, system, messages. */
import type { CacheControl, PromptRequest } from './request.ts';
import { TOKENS_PER_TURN, tokensOf } from './tokens.ts';
import { turnsOf } from './turns.ts';

export type Ttl = '5m' | '1h';

export type Segment = {
  readonly level: 'tools' | 'system' | 'messages';
  /** Must be equal, byte for byte, for a prefix to match. */
  readonly text: string;
  readonly tokens: number;
  readonly breakpoint: Ttl | null;
  /** False for thinking and empty text, which cannot have a breakpoint, not even the automatic one. */
  readonly cacheable: boolean;
};

type Marked = { readonly cache_control?: CacheControl | null | undefined };

const ttlOf = (block: Marked): Ttl | null => (block.cache_control ? (block.cache_control.ttl ?? '5m') : null);

const contentOf = (block: Marked & object): string => {
  const { cache_control: _, ...content } = block;
  return JSON.stringify(content);
};

const toolSegments = ({ tools = [] }: PromptRequest): readonly Segment[] =>
  tools.map((tool) => {
    const text = contentOf(tool);
    return { level: 'tools', text, tokens: tokensOf(text), breakpoint: ttlOf(tool), cacheable: true };
  });

const systemSegments = ({ system = [] }: PromptRequest): readonly Segment[] => {
  const blocks = typeof system === 'string' ? [{ type: 'text' as const, text: system }] : system;
  return blocks.map((block) => ({
    level: 'system',
    text: contentOf(block),
    tokens: tokensOf(block.text),
    breakpoint: ttlOf(block),
    cacheable: block.text !== '',
  }));
};

const wordsOf = (block: object): string => {
  if ('text' in block && typeof block.text === 'string') return block.text;
  if ('thinking' in block && typeof block.thinking === 'string') return block.thinking;
  if ('content' in block && typeof block.content === 'string') return block.content;
  return contentOf(block);
};

/**
 * A change of `tool_choice` or `thinking` invalidates the cache of messages, but not of tools and the system prompt
 * (platform documentation, prompt caching: what invalidates the cache).
 */
const messagesKey = ({ tool_choice, thinking }: PromptRequest): string =>
  JSON.stringify([tool_choice ?? null, thinking ?? null]);

const messageSegments = (request: PromptRequest): readonly Segment[] => {
  const key = messagesKey(request);
  return turnsOf(request).flatMap(({ role, blocks }) =>
    blocks.map(({ block }, at) => {
      const thinks = block.type === 'thinking' || block.type === 'redacted_thinking';
      return {
        level: 'messages' as const,
        text: `${key}\n${role}\n${contentOf(block)}`,
        tokens: tokensOf(wordsOf(block)) + (at === 0 ? TOKENS_PER_TURN : 0),
        breakpoint: thinks ? null : ttlOf(block),
        cacheable: !thinks && !(block.type === 'text' && block.text === ''),
      };
    }),
  );
};

const markAutomatically = (segments: readonly Segment[], control: CacheControl): readonly Segment[] => {
  const last = segments.findLastIndex(({ cacheable }) => cacheable);
  return segments.map((segment, at) => (at === last ? { ...segment, breakpoint: control.ttl ?? '5m' } : segment));
};

export const segmentsOf = (request: PromptRequest): readonly Segment[] => {
  const segments = [...toolSegments(request), ...systemSegments(request), ...messageSegments(request)];
  return request.cache_control ? markAutomatically(segments, request.cache_control) : segments;
};

export const countTokens = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { tokens }) => sum + tokens, 0);
