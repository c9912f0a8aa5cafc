/**
 * Writes the text of an answer in a thread. If people have answered in a thread, an answer must be posted, because its
 * marker ends the cycle. So if the model's text only repeats the thread, the text is replaced instead of left out.
 */
import { repeats } from '../duplicates/repeats.ts';
import { readFinding } from '../memory/finding-comment.ts';
import type { Handled } from '../model/gate-result.ts';
import type { History } from '../model/history.ts';
import { replyText } from './wording/finding-text.ts';
import { REASONS_ABOVE, type Repeated, repeatedReplyText } from './wording/repeated-reply-text.ts';

export type ReplyContext = Repeated & { readonly history: Pick<History, 'threads' | 'replies'> };

export const replyWords = (handled: Handled, context: ReplyContext): string => {
  if (!repeats(handled.answer.body, saidIn(handled.thread, context.history))) return replyText(handled);
  if (handled.answer.action === 'reply') return repeatedReplyText(handled, context);
  return replyText({ ...handled, answer: { ...handled.answer, body: REASONS_ABOVE } });
};

/** Collects what the bot has said in the thread. The thread of a stored effect lacks its comment. */
const saidIn = (
  { id, fingerprint }: Handled['thread'],
  { threads, replies = [] }: ReplyContext['history'],
): string[] => {
  const thread = threads.find((each) => each.id === id && each.fingerprint === fingerprint);
  return [
    ...(thread === undefined ? [] : [thread.title, readFinding(thread.comment).body]),
    ...replies.filter((each) => each.id === id && each.fingerprint === fingerprint).map(({ text }) => text),
  ];
};
