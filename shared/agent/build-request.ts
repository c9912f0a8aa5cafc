/** Builds the next model request of a conversation. Pure: a resumed run repeats the exact request that was interrupted. */
import { type Conversation, isLastTurn } from './conversation.ts';
import type { Message, ModelRequest, UserBlock } from './model/model.ts';

export const SUBMIT_REVIEW = 'submit_review';
export const SUBMIT_VERIFICATION = 'submit_verification';
export const WRITE_NOTES = 'WriteNotes';
export const AGENT = 'Agent';
export const DECLINE = 'Decline';
export const ADDRESSED = 'Addressed';
export const VALIDATE = 'Validate';

type Role = Conversation['start']['role'];

const CLOSING_TOOLS: Readonly<Record<Role, readonly string[]>> = {
  reviewer: [SUBMIT_REVIEW],
  explorer: [WRITE_NOTES],
  verifier: [SUBMIT_VERIFICATION],
  author: [DECLINE, ADDRESSED],
};

/**
 * Names of the tools that were accepted in the turn of the last reply. `conversation.turns` already counts that reply.
 * The tools that a request lists never change, because they are the beginning of the prefix that the provider caches.
 */
export const acceptedInTurn = (conversation: Conversation): readonly string[] => {
  const { tools, role } = conversation.start;
  const names = tools.map(({ name }) => name);
  const before = { ...conversation, turns: conversation.turns - 1 };
  return isLastTurn(before) ? names.filter((name) => CLOSING_TOOLS[role].includes(name)) : names;
};

const LAST_TURN = {
  reviewer:
    'This is the last turn. Only submit_review is accepted now; every other call is refused. Submit the review with what you know. Under not_reviewed, name every file that you could not look at.',
  explorer:
    'This is the last turn. Only WriteNotes is accepted now; every other call is refused. Write down what you have found that is not in your notes yet.',
  verifier:
    'This is the last turn. Only submit_verification is accepted now; every other call is refused. If you have not found out, the outcome is unsure.',
  author:
    'This is the last turn. Only Decline and Addressed are accepted now; you can no longer change files. Decline what you did not fix and report what you addressed, or end your turn without a tool call.',
} as const;

/** Adds the text to this request only; the conversation does not keep it. */
const announce = (messages: readonly Message[], text: string): readonly Message[] => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return messages;
  return [...messages.slice(0, -1), { role: 'user', blocks: [...last.blocks, { kind: 'text', text }] }];
};

type Place = { readonly message: number; readonly block: number };

/** The last text of the message at this index; null if it does not end with a text of the user. */
const endOf = (messages: readonly Message[], message: number): Place | null => {
  const found = messages[message];
  const block = (found?.blocks.length ?? 0) - 1;
  return found?.role === 'user' && found.blocks[block]?.kind === 'text' ? { message, block } : null;
};

const markAt = (messages: readonly Message[], places: readonly Place[]): readonly Message[] =>
  messages.map((message, at): Message => {
    if (message.role !== 'user') return message;
    const isMarked = (block: number): boolean => places.some((place) => place.message === at && place.block === block);
    const blocks = message.blocks.map(
      (block, index): UserBlock => (block.kind === 'text' && isMarked(index) ? { ...block, cache: true } : block),
    );
    return { role: 'user', blocks };
  });

/**
 * Sets two cache breakpoints: at the end of the conversation, for the next turn to read, and where the previous request
 * ended. The second one is needed because a provider looks back only a limited number of blocks from a breakpoint, and
 * a turn with many calls has more. The last turn sets only the second breakpoint, because no turn follows.
 */
const cacheTurns = (messages: readonly Message[], isLast: boolean): readonly Message[] => {
  const last = messages.length - 1;
  const wanted = isLast && last > 0 ? [last - 2] : [last - 2, last];
  return markAt(
    messages,
    wanted.flatMap((message) => endOf(messages, message) ?? []),
  );
};

export const buildRequest = (conversation: Conversation): ModelRequest => {
  const { start } = conversation;
  const isLast = isLastTurn(conversation);
  const messages = cacheTurns(conversation.messages, isLast);
  return {
    model: start.model,
    maxOutputTokens: start.maxOutputTokens,
    system: start.system,
    tools: start.tools,
    messages: isLast ? announce(messages, LAST_TURN[start.role]) : messages,
  };
};
