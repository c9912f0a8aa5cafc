/** Turns a scripted reply into the message that the server would send. */
import { blockTokens, clipToAllowance, inputJson } from '../messages/clip.ts';
import type { Ids } from '../messages/ids.ts';
import type { Usage } from '../messages/prices.ts';
import type { Reply, ReplyBlock, StopReason } from '../messages/reply.ts';
import type { Dialect } from './dialect.ts';

export type ComposedCall = { readonly id: string; readonly name: string; readonly json: string };

export type Composed = {
  readonly id: string;
  readonly model: string;
  readonly thinking: string;
  readonly text: string;
  readonly refusal: string | null;
  readonly calls: readonly ComposedCall[];
  readonly finishReason: string;
  readonly usage: Usage;
};

export type Composition = {
  readonly model: string;
  readonly maxTokens: number;
  /** Room in the context window. */
  readonly room: number;
  readonly input: Pick<Usage, 'inputTokens' | 'cacheReadTokens'>;
  readonly parallel: boolean;
  readonly ids: Ids;
  readonly dialect: Dialect;
};

/** Stop reasons of the Messages API in the words of this one; those without a word are passed on as unknown reasons. */
const WORDS: Readonly<Record<StopReason, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
  pause_turn: 'pause_turn',
  model_context_window_exceeded: 'model_length',
};

const sum = (blocks: readonly ReplyBlock[]): number => blocks.reduce((total, block) => total + blockTokens(block), 0);

/** The first call only, for a server that allows no more. */
const withoutParallel = (content: readonly ReplyBlock[]): readonly ReplyBlock[] => {
  const first = content.findIndex(({ kind }) => kind === 'tool_use');
  return content.filter((block, at) => block.kind !== 'tool_use' || at === first);
};

const joined = (content: readonly ReplyBlock[], kind: 'text' | 'thinking'): string =>
  content
    .map((block) =>
      block.kind === kind ? ('text' in block ? block.text : 'thinking' in block ? block.thinking : '') : '',
    )
    .join('');

const finishOf = (reply: Reply, content: readonly ReplyBlock[], cut: boolean, dialect: Dialect): string => {
  if (cut) return 'length';
  const calls = content.some(({ kind }) => kind === 'tool_use');
  if (reply.stopReason !== undefined) return WORDS[reply.stopReason];
  return calls && dialect.calls !== 'text' ? dialect.finishOfCalls : 'stop';
};

export const compose = (reply: Reply, composition: Composition): Composed => {
  const { dialect, ids, input } = composition;
  const known = reply.content.filter(({ kind }) => kind !== 'other' && kind !== 'redacted_thinking');
  const limit = reply.overrun === true ? Number.POSITIVE_INFINITY : Math.min(composition.maxTokens, composition.room);
  const { content, cut } = clipToAllowance(composition.parallel ? known : withoutParallel(known), limit);
  const calls = content.flatMap((block) =>
    block.kind === 'tool_use' ? [{ id: block.id ?? ids.next('toolu'), name: block.name, json: inputJson(block) }] : [],
  );
  return {
    id: ids.next('msg'),
    model: composition.model,
    thinking: joined(content, 'thinking'),
    text: joined(content, 'text'),
    refusal: reply.refusal?.explanation ?? null,
    calls,
    finishReason: finishOf(reply, content, cut, dialect),
    usage: {
      ...input,
      cacheWrite5mTokens: 0,
      cacheWrite1hTokens: 0,
      outputTokens: Math.max(1, sum(content)),
      thinkingTokens: sum(content.filter(({ kind }) => kind === 'thinking')),
    },
  };
};
