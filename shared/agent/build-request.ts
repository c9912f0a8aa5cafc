/** Builds the next model request of a conversation. Pure: a resumed run repeats the exact request that was interrupted. */
import { type Conversation, isLastTurn } from './conversation.ts';
import type { Message, ModelRequest, ToolSchema, UserBlock } from './model/model.ts';

export const SUBMIT_REVIEW = 'submit_review';
export const WRITE_NOTES = 'WriteNotes';
export const AGENT = 'Agent';
export const DECLINE = 'Decline';
export const ADDRESSED = 'Addressed';
export const VALIDATE = 'Validate';

type Role = Conversation['start']['role'];

const CLOSING_TOOLS: Readonly<Record<Role, readonly string[]>> = {
  reviewer: [SUBMIT_REVIEW],
  explorer: [WRITE_NOTES],
  author: [DECLINE, ADDRESSED],
};

/** `run-tools.ts` refuses calls to any other tool. */
export const toolsOnOffer = (conversation: Conversation): readonly ToolSchema[] => {
  const { tools, role } = conversation.start;
  return isLastTurn(conversation) ? tools.filter(({ name }) => CLOSING_TOOLS[role].includes(name)) : tools;
};

/** Names of the tools offered in the turn of the last reply. `conversation.turns` already counts that reply. */
export const offeredInTurn = (conversation: Conversation): readonly string[] =>
  toolsOnOffer({ ...conversation, turns: conversation.turns - 1 }).map(({ name }) => name);

const LAST_TURN = {
  reviewer:
    'This is the last turn. Only submit_review is available now: submit the review with what you know. Under not_reviewed, name every file that you could not look at.',
  explorer:
    'This is the last turn. Only WriteNotes is available now: write down what you have found that is not in your notes yet.',
  author:
    'This is the last turn. You can no longer change files: decline what you did not fix and report what you addressed, or end your turn without a tool call.',
} as const;

/** Adds the text to this request only; the conversation does not keep it. */
const announce = (messages: readonly Message[], text: string): readonly Message[] => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return messages;
  return [...messages.slice(0, -1), { role: 'user', blocks: [...last.blocks, { kind: 'text', text }] }];
};

/** Sets a cache breakpoint at the end of the conversation, so that the next turn reads everything before it from the cache. */
const cacheEnd = (messages: readonly Message[]): readonly Message[] => {
  const last = messages.at(-1);
  const block = last?.blocks.at(-1);
  if (last?.role !== 'user' || block?.kind !== 'text') return messages;
  const blocks: readonly UserBlock[] = [...last.blocks.slice(0, -1), { ...block, cache: true }];
  return [...messages.slice(0, -1), { role: 'user', blocks }];
};

export const buildRequest = (conversation: Conversation): ModelRequest => {
  const { start } = conversation;
  const isLast = isLastTurn(conversation);
  const messages = isLast ? announce(conversation.messages, LAST_TURN[start.role]) : cacheEnd(conversation.messages);
  return {
    model: start.model,
    maxOutputTokens: start.maxOutputTokens,
    system: start.system,
    tools: toolsOnOffer(conversation),
    messages,
  };
};
