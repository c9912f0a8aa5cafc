import { posix } from 'node:path';
import type { ToolCallBlock } from '../../../shared/agent/model/model.ts';
import type { ConversationInput, Transcript } from '../../../shared/agent/transcript.ts';

/** The files that a conversation has seen: calls of `Read` that returned text. */
export const openedPaths = (transcripts: readonly Transcript[]): ReadonlySet<string> =>
  new Set(transcripts.flatMap(({ inputs }) => inputs.flatMap((input, index) => openedBy(input, inputs[index - 1]))));

const openedBy = (input: ConversationInput, asked: ConversationInput | undefined): readonly string[] => {
  if (input.kind !== 'results' || asked?.kind !== 'reply') return [];
  const calls = asked.reply.blocks.filter((block): block is ToolCallBlock => block.kind === 'tool_call');
  return input.results.flatMap(({ kind }, index) => {
    const call = calls[index];
    return kind === 'text' && call?.name === 'Read' ? pathOf(call.input) : [];
  });
};

const pathOf = (input: unknown): readonly string[] => {
  const path = typeof input === 'object' && input !== null && 'path' in input ? input.path : null;
  return typeof path === 'string' ? [posix.normalize(path)] : [];
};
