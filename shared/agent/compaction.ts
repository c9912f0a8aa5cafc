/** Replaces the middle of a conversation with the notes, without a model call. Keeps the task, the diff and recent messages. */
import type { Conversation } from './conversation.ts';
import { fence } from './fence.ts';
import type { Message, TextBlock } from './model/model.ts';
import { hasNotes } from './notes.ts';

/** Two turns, each with a reply and its tool results. */
const KEEP_MESSAGES = 4;
const MAX_DIGEST_CALLS = 200;
const MAX_INPUT_CHARACTERS = 200;

/** Index of the first kept message. It is always a model reply, so that no call is separated from its result. */
const tailStart = (messages: readonly Message[], keep: number): number => {
  let start = Math.max(1, messages.length - keep);
  while (start < messages.length && messages[start]?.role !== 'assistant') start += 1;
  return start;
};

const digest = (messages: readonly Message[]): readonly string[] =>
  messages
    .flatMap((message) => (message.role === 'assistant' ? message.blocks : []))
    .flatMap((block) => (block.kind === 'tool_call' ? [block] : []))
    .slice(-MAX_DIGEST_CALLS)
    .map(({ name, input }) => `- ${name.slice(0, 64)} ${(JSON.stringify(input) ?? '').slice(0, MAX_INPUT_CHARACTERS)}`);

export const notesBlocks = ({ notes, gathered, start }: Conversation): readonly TextBlock[] => [
  ...(hasNotes(notes)
    ? [{ kind: 'text' as const, text: `Your notes so far:\n${fence('notes', notes, start.boundary)}` }]
    : []),
  ...gathered.map((text) => ({ kind: 'text' as const, text: `Notes of an explorer:\n${text}` })),
];

const opening = ({ start }: Conversation): readonly TextBlock[] => start.opening;

const compactTo = (conversation: Conversation, keep: number): Conversation => {
  const { messages, start } = conversation;
  const from = tailStart(messages, keep);
  const dropped = messages.slice(1, from);
  if (dropped.length === 0) return conversation;
  const lines = digest(dropped);
  const said = lines.length === 0 ? 'no tool was called' : `\n${fence('calls', lines.join('\n'), start.boundary)}`;
  const note = `The middle of this conversation was removed to save space. Calls made there: ${said}`;
  const first: Message = {
    role: 'user',
    blocks: [...opening(conversation), ...notesBlocks(conversation), { kind: 'text', text: note }],
  };
  return {
    ...conversation,
    messages: [first, ...messages.slice(from)],
    known: null,
    compactions: conversation.compactions + 1,
    compactedAt: conversation.turns,
  };
};

/**
 * After a compaction, the next request pays for the whole prompt again, so there are at least this many turns between
 * two compactions.
 */
const TURNS_BETWEEN = 3;

export const compactWhenLong = (conversation: Conversation): Conversation => {
  const { known, start, turns, compactedAt } = conversation;
  const isLong = known !== null && known.tokens >= start.compactAtTokens;
  const isSoon = compactedAt !== null && turns - compactedAt < TURNS_BETWEEN;
  return isLong && !isSoon ? compactTo(conversation, KEEP_MESSAGES) : conversation;
};

/** Compacts as much as possible when the context is full. Returns the same conversation if nothing can be dropped. */
export const compactHard = (conversation: Conversation): Conversation => compactTo(conversation, 2);

export const withoutConversation = (conversation: Conversation, why: string): Conversation => ({
  ...conversation,
  messages: [
    {
      role: 'user',
      blocks: [...opening(conversation), ...notesBlocks(conversation), { kind: 'text', text: why }],
    },
  ],
  known: null,
});
