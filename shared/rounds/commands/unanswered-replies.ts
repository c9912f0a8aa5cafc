/** Unanswered human replies are found on the forge, not in state, so neither lost webhooks nor the loss of Redis matter. */
import type { ForgeComment } from '../../forge/port-facts.ts';
import type { MarkerPayload } from '../model/marker-payload.ts';
import type { OwnMarker } from '../memory/own-markers.ts';
import type { Thread } from '../model/history.ts';
import { parseUserCommand } from './parse-command.ts';

export type Unanswered = {
  readonly thread: Thread;
  /** At least one comment, oldest first. */
  readonly comments: readonly ForgeComment[];
};

export type AnswerSources = {
  readonly comments: readonly ForgeComment[];
  readonly threads: readonly Thread[];
  readonly own: readonly OwnMarker[];
  readonly botIds: ReadonlySet<number>;
  readonly mention: string;
};

/** A closed or settled thread gets no more answers, even if somebody reopens it on the forge. */
const isOpen = ({ state, comment }: Thread): boolean =>
  state === 'open' && comment !== null && comment.threadId !== null;

export const isInOpenThread = (comment: ForgeComment, threads: readonly Thread[]): boolean =>
  threads.some((thread) => isOpen(thread) && thread.comment?.threadId === comment.threadId);

export const findUnansweredReplies = (sources: AnswerSources): readonly Unanswered[] =>
  sources.threads.filter(isOpen).flatMap((thread) => {
    const comments = wordsSince(thread, sources);
    return comments.length === 0 ? [] : [{ thread, comments }];
  });

const wordsSince = (thread: Thread, { comments, own, botIds, mention }: AnswerSources): readonly ForgeComment[] => {
  const last = lastWord(thread, own);
  return comments
    .filter(
      (comment) =>
        comment.threadId === thread.comment?.threadId &&
        comment.author !== null &&
        !botIds.has(comment.author.id) &&
        (last === null || isAfter(comment, last)) &&
        !isCommand(comment, mention),
    )
    .toSorted(inTime);
};

/** Commands in threads are answered as commands. */
const isCommand = ({ body }: ForgeComment, mention: string): boolean => {
  const spoken = parseUserCommand(body, mention);
  return spoken !== null && spoken.kind !== 'text';
};

/** Not limited to the thread: on forges without replies in threads, the bot answers in separate comments. */
const lastWord = ({ id, fingerprint }: Thread, own: readonly OwnMarker[]): OwnMarker | null =>
  own
    .filter(({ payload }) => isAbout(payload) && payload.id === id && payload.fp === fingerprint)
    .toSorted((one, other) => inTime(one.comment, other.comment))
    .at(-1) ?? null;

const isAbout = (payload: MarkerPayload): payload is Extract<MarkerPayload, { readonly fp: string }> =>
  payload.kind === 'finding' || payload.kind === 'reply' || payload.kind === 'decline';

/** A reply that was written while the bot prepared its answer is not answered by it. Forges number comments in order. */
const isAfter = (comment: ForgeComment, { payload, comment: own }: OwnMarker): boolean =>
  payload.kind === 'reply' && payload.note !== undefined ? Number(comment.id) > payload.note : inTime(own, comment) < 0;

const inTime = (one: ForgeComment, other: ForgeComment): number =>
  one.createdAtMs - other.createdAtMs || Number(one.id) - Number(other.id);
