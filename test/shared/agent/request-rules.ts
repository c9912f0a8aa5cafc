/** What every provider demands of a request; broken rules by name. */
import type { Message, ModelRequest } from '../../../shared/agent/model/model.ts';

const idsOf = (message: Message | undefined, kind: 'tool_call' | 'tool_result'): readonly string[] =>
  (message?.blocks ?? []).flatMap((block) => {
    if (block.kind === 'tool_call' && kind === 'tool_call') return [block.id];
    return block.kind === 'tool_result' && kind === 'tool_result' ? [block.callId] : [];
  });

export const brokenRules = ({ messages }: ModelRequest): readonly string[] => {
  const broken: string[] = [];
  if (messages[0]?.role !== 'user') broken.push('begins without the user');
  if (messages.at(-1)?.role !== 'user') broken.push('ends without the user');
  for (const [index, message] of messages.entries()) {
    if (message.blocks.length === 0) broken.push(`${index} is empty`);
    if (message.blocks.some((block) => block.kind === 'text' && block.text.trim() === ''))
      broken.push(`${index} has empty text`);
    const calls = idsOf(message, 'tool_call');
    const results = idsOf(messages[index + 1], 'tool_result');
    if (message.role === 'assistant' && calls.join() !== results.join())
      broken.push(`${index} has calls without results`);
    if (
      message.role === 'user' &&
      messages[index - 1]?.role !== 'assistant' &&
      idsOf(message, 'tool_result').length > 0
    ) {
      broken.push(`${index} has results without calls`);
    }
  }
  return broken;
};
