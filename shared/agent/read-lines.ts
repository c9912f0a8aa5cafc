/** Returns the lines that a conversation has read itself and still contains. Lines removed by compaction do not count. */
import type { Conversation } from './conversation.ts';
import { startConversation } from './conversation.ts';
import type { ShownLines } from './tool-result.ts';
import type { Transcript } from './transcript.ts';
import { applyInput } from './turns.ts';

const heldCalls = ({ messages }: Conversation): ReadonlySet<string> =>
  new Set(
    messages.flatMap(({ role, blocks }) =>
      role === 'user' ? blocks.flatMap((block) => (block.kind === 'tool_result' ? [block.callId] : [])) : [],
    ),
  );

export const readLines = ({ start, inputs }: Transcript): ReadonlyMap<string, ShownLines['ranges']> => {
  const shown = new Map<string, ShownLines>();
  let conversation = startConversation(start);
  for (const input of inputs) {
    if (input.kind === 'results' && conversation.phase.kind === 'tools')
      for (const [index, { id }] of conversation.phase.calls.entries()) {
        const result = input.results[index];
        if (result?.kind === 'text' && result.lines !== undefined) shown.set(id, result.lines);
      }
    conversation = applyInput(conversation, input);
  }
  const held = heldCalls(conversation);
  const read = new Map<string, ShownLines['ranges']>();
  for (const [id, { path, ranges }] of shown) if (held.has(id)) read.set(path, [...(read.get(path) ?? []), ...ranges]);
  return read;
};
