import type { ToolCallBlock } from '../../../shared/agent/model/model.ts';
import type { ConversationInput, Transcript } from '../../../shared/agent/transcript.ts';

/** The files that a conversation has seen: calls of `Read` that returned text. */
export const openedPaths = (transcripts: readonly Transcript[]): ReadonlySet<string> =>
  new Set(transcripts.flatMap(({ inputs }) => inputs.flatMap((input, index) => openedBy(input, inputs[index - 1]))));

const openedBy = (input: ConversationInput, asked: ConversationInput | undefined): readonly string[] => {
  if (input.kind !== 'results' || asked?.kind !== 'reply') return [];
  const calls = asked.reply.blocks.filter((block): block is ToolCallBlock => block.kind === 'tool_call');
  return input.results.flatMap((result, index) => {
    const lines = calls[index]?.name === 'Read' && result.kind === 'text' ? result.lines : undefined;
    return lines === undefined ? [] : [lines.path];
  });
};
