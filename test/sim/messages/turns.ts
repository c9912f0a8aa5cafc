import type { Block, PromptRequest } from './request.ts';

/** One turn of the conversation, after consecutive messages with the same role were merged. */
export type Turn = {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly PlacedBlock[];
  /** Index of the turn's first message in the request, for error messages. */
  readonly index: number;
};

export type PlacedBlock = { readonly block: Block; readonly place: string };

const blocksOf = (content: string | readonly Block[]): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Consecutive messages of one role are one turn (documented at `messages` in the SDK's types). */
export const turnsOf = ({ messages }: Pick<PromptRequest, 'messages'>): readonly Turn[] => {
  const turns: { role: Turn['role']; blocks: PlacedBlock[]; index: number }[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const placed = blocksOf(content).map((block, at) => ({ block, place: `messages.${index}.content.${at}` }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...placed);
    else turns.push({ role, blocks: placed, index });
  }
  return turns;
};

export const textOf = (turn: Turn): string =>
  turn.blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])).join('\n');

export const systemText = ({ system }: Pick<PromptRequest, 'system'>): string =>
  typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n');

export const firstUserText = (request: Pick<PromptRequest, 'messages'>): string => {
  const first = turnsOf(request).find(({ role }) => role === 'user');
  return first === undefined ? '' : textOf(first);
};

/** The user's first text block, which identifies the conversation: later additions to the first turn do not matter. */
export const openingText = (request: Pick<PromptRequest, 'messages'>): string => {
  const first = turnsOf(request).find(({ role }) => role === 'user');
  const opening = first?.blocks.find(({ block }) => block.type === 'text')?.block;
  return opening?.type === 'text' ? opening.text : '';
};
