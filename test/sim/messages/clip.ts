/** Cuts a scripted reply at the remaining tokens, as the API would. */
import type { ReplyBlock, StopReason } from './reply.ts';
import { clipToTokens, tokensOf } from './tokens.ts';

export const inputJson = (block: Extract<ReplyBlock, { kind: 'tool_use' }>): string =>
  block.rawInput ?? JSON.stringify(block.input ?? null);

export const blockTokens = (block: ReplyBlock): number => {
  switch (block.kind) {
    case 'text':
      return tokensOf(block.text);
    case 'thinking':
      return tokensOf(block.thinking);
    case 'tool_use':
      return tokensOf(block.name) + tokensOf(inputJson(block));
    case 'redacted_thinking':
      return 1;
    case 'other':
      return tokensOf(JSON.stringify(block.block));
    default:
      return block satisfies never;
  }
};

/** The part of a block within `tokens`; null when nothing fits. A cut tool call has broken JSON. */
const clipBlock = (block: ReplyBlock, tokens: number): ReplyBlock | null => {
  if (tokens <= 0) return null;
  switch (block.kind) {
    case 'text':
      return { ...block, text: clipToTokens(block.text, tokens) };
    case 'thinking':
      return { ...block, thinking: clipToTokens(block.thinking, tokens) };
    case 'tool_use': {
      const left = tokens - tokensOf(block.name);
      return left <= 0 ? null : { ...block, rawInput: clipToTokens(inputJson(block), left) };
    }
    case 'redacted_thinking':
    case 'other':
      return null;
    default:
      return block satisfies never;
  }
};

export type Clipped = { readonly content: readonly ReplyBlock[]; readonly cut: boolean };

export const clipToAllowance = (content: readonly ReplyBlock[], tokens: number): Clipped => {
  const kept: ReplyBlock[] = [];
  let left = tokens;
  for (const block of content) {
    const cost = blockTokens(block);
    if (cost > left) {
      const part = clipBlock(block, left);
      return { content: part === null ? kept : [...kept, part], cut: true };
    }
    kept.push(block);
    left -= cost;
  }
  return { content: kept, cut: false };
};

export type Stopped = Clipped & { readonly stopReason?: StopReason; readonly sequence?: string };

export const stopAtSequence = (content: readonly ReplyBlock[], sequences: readonly string[]): Stopped => {
  for (const [at, block] of content.entries()) {
    if (block.kind !== 'text') continue;
    const found = sequences
      .map((sequence) => ({ sequence, from: block.text.indexOf(sequence) }))
      .filter(({ from }) => from !== -1)
      .toSorted((left, right) => left.from - right.from)[0];
    if (found === undefined) continue;
    const rest = { ...block, text: block.text.slice(0, found.from) };
    return {
      content: [...content.slice(0, at), ...(rest.text === '' ? [] : [rest])],
      cut: true,
      stopReason: 'stop_sequence',
      sequence: found.sequence,
    };
  }
  return { content, cut: false };
};
