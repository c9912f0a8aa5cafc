/** Turns a scripted reply into the message that the API would send. */
import { blockTokens, clipToAllowance, inputJson, stopAtSequence } from './clip.ts';
import type { Ids } from './ids.ts';
import type { ModelFacts } from './models.ts';
import type { Usage } from './prices.ts';
import type { InputUsage } from './prompt-cache.ts';
import type { Reply, ReplyBlock, StopReason } from './reply.ts';
import type { CreateRequest } from './request.ts';
import { REDACTED_TEXT, signThinking } from './signatures.ts';

export type WireBlock = { readonly type: string; readonly [key: string]: unknown };

export type ComposedBlock = {
  readonly block: WireBlock;
  /** A tool call's input as it is streamed; null for every other block. */
  readonly inputJson: string | null;
};

export type Composed = {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly ComposedBlock[];
  readonly stopReason: StopReason;
  readonly stopSequence: string | null;
  readonly stopDetails: object | null;
  readonly usage: Usage;
};

export type Composition = {
  readonly model: ModelFacts;
  readonly request: CreateRequest;
  readonly input: InputUsage;
  readonly promptTokens: number;
  readonly ids: Ids;
};

const readBack = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
};

const composeBlock = (block: ReplyBlock, { model, request, ids }: Composition): ComposedBlock => {
  switch (block.kind) {
    case 'text':
      return { block: { type: 'text', text: block.text, citations: null }, inputJson: null };
    case 'tool_use': {
      const json = inputJson(block);
      const { name, id = ids.next('toolu') } = block;
      const call = { type: 'tool_use', id, name, input: readBack(json), caller: { type: 'direct' } };
      return { block: call, inputJson: json };
    }
    case 'thinking': {
      const asked = request.thinking && 'display' in request.thinking ? request.thinking.display : null;
      const shown = (asked ?? model.thinkingDisplay) === 'omitted' ? '' : block.thinking;
      const signature = signThinking(shown, { model, request, salt: ids.next('msg') });
      return { block: { type: 'thinking', thinking: shown, signature }, inputJson: null };
    }
    case 'redacted_thinking': {
      const data = signThinking(REDACTED_TEXT, { model, request, salt: ids.next('msg') });
      return { block: { type: 'redacted_thinking', data }, inputJson: null };
    }
    case 'other':
      return { block: block.block, inputJson: null };
    default:
      return block satisfies never;
  }
};

type Ending = Pick<Composed, 'stopReason' | 'stopSequence'> & { readonly content: readonly ReplyBlock[] };

const endOf = (reply: Reply, { model, request, promptTokens }: Composition): Ending => {
  const stopped = stopAtSequence(reply.content, request.stop_sequences ?? []);
  const room = model.contextTokens - promptTokens;
  const limit = reply.overrun === true ? Number.POSITIVE_INFINITY : Math.min(request.max_tokens, room);
  const { content, cut } = clipToAllowance(stopped.content, limit);
  if (cut) {
    const stopReason = room < request.max_tokens ? 'model_context_window_exceeded' : 'max_tokens';
    return { content, stopReason, stopSequence: null };
  }
  const callsTools = content.some(({ kind }) => kind === 'tool_use');
  const stopReason = stopped.stopReason ?? reply.stopReason ?? (callsTools ? 'tool_use' : 'end_turn');
  return { content, stopReason, stopSequence: stopped.sequence ?? reply.stopSequence ?? null };
};

const detailsOf = ({ refusal }: Reply): object | null =>
  refusal === undefined
    ? null
    : { type: 'refusal', category: refusal.category, explanation: refusal.explanation ?? null };

const sum = (blocks: readonly ReplyBlock[]): number => blocks.reduce((total, block) => total + blockTokens(block), 0);

export const compose = (reply: Reply, composition: Composition): Composed => {
  const { content, ...ending } = endOf(reply, composition);
  const thoughts = content.filter(({ kind }) => kind === 'thinking' || kind === 'redacted_thinking');
  return {
    id: composition.ids.next('msg'),
    model: composition.model.id,
    blocks: content.map((block) => composeBlock(block, composition)),
    ...ending,
    stopDetails: ending.stopReason === 'refusal' ? detailsOf(reply) : null,
    usage: {
      ...composition.input,
      // At least one token, even for an empty answer (documented at `usage`), but never more than allowed.
      outputTokens: Math.max(sum(content), Math.min(1, composition.request.max_tokens)),
      thinkingTokens: sum(thoughts),
    },
  };
};
