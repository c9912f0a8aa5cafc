import { mayTrigger } from '../../shared/forge/may-trigger.ts';
import { isIgnoredBot } from '../../shared/forge/other-bots.ts';
import type { Account, ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import type { Unanswered } from '../../shared/rounds/commands/unanswered-replies.ts';
import type { PendingAnswer } from '../../shared/rounds/model/facts.ts';
import type { KnownForge } from './deps.ts';

export type ReplyAuthors = {
  readonly forge: KnownForge;
  readonly changeRequest: ChangeRequestFacts;
};

/** Keeps only replies by the author of the change and by commanders. Replies by others or by bots start no run. */
export const authorizeReplies = async (
  unanswered: readonly Unanswered[],
  talkers: ReplyAuthors,
  signal: AbortSignal,
): Promise<readonly PendingAnswer[]> => {
  const asked = new Map<number, Promise<boolean>>();
  const isHeard = async (actor: Account): Promise<boolean> => {
    const known = asked.get(actor.id) ?? mayTalk(talkers, actor, signal);
    asked.set(actor.id, known);
    return known;
  };
  const answers: PendingAnswer[] = [];
  for (const { thread, comments } of unanswered) {
    for (const { id, author } of comments.toReversed()) {
      if (author === null || !(await isHeard(author))) continue;
      answers.push({ findingId: thread.id, noteId: Number(id) });
      break;
    }
  }
  return answers;
};

const mayTalk = async (
  { forge, changeRequest }: ReplyAuthors,
  actor: Account,
  signal: AbortSignal,
): Promise<boolean> => {
  const { projectId } = changeRequest.changeRequest;
  if (actor.id === changeRequest.author.id) return !(await isIgnoredBot(forge.otherBots, actor.id, signal));
  return mayTrigger(forge, { actor, action: 'review', projectId }, signal);
};
