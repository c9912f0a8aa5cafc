/**
 * Limits how deeply the values in a reply are nested. A few thousand brackets are enough to exhaust the stack of every
 * function that walks through a value, such as the one that writes it as JSON.
 */
import type { AssistantBlock, ModelReply } from './model.ts';

const MAX_DEPTH = 64;

const TOO_DEEP = '[the input was nested too deeply]';

const childrenOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

/** Goes through the value level by level, because a recursive function would exhaust the stack itself. */
export const isDeep = (value: unknown): boolean => {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
};

/** The value, or a text that says why it is missing. */
export const shallowValue = (value: unknown): unknown => (isDeep(value) ? TOO_DEEP : value);

/** Input that is too deep counts as unreadable; a provider's own block is left out. */
const shallow = (block: AssistantBlock): readonly AssistantBlock[] => {
  switch (block.kind) {
    case 'text':
      return [block];
    case 'tool_call':
      return [{ ...block, input: shallowValue(block.input) }];
    case 'opaque':
      return isDeep(block.value) ? [] : [block];
    default:
      return block satisfies never;
  }
};

export const shallowReply = (reply: ModelReply): ModelReply => ({ ...reply, blocks: reply.blocks.flatMap(shallow) });
