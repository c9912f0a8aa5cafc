/** Finds human replies without an answer on the forge and not in the state, so that lost webhooks or the loss of Redis do not matter. */
import type { ForgeComment } from '../../forge/port-facts.ts';
import type { MarkerPayload } from '../model/marker-payload.ts';
import type { OwnMarker } from '../memory/own-markers.ts';
import type { Thread } from '../model/history.ts';
import { parseUserCommand } from './parse-command.ts';

export type Unanswered = {
  readonly thread: Thread;
  /** The comments of the thread: at least one, oldest first. */
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

/** A command in a thread gets the answer to the command, so it needs no reply. */
const isCommand = ({ body }: ForgeComment, mention: string): boolean => {
  const spoken = parseUserCommand(body, mention);
  return spoken !== null && spoken.kind !== 'text';
};

/** Finds the bot's last comment about the thread. It may be outside the thread: some forges have no replies in threads. */
const lastWord = ({ id, fingerprint }: Thread, own: readonly OwnMarker[]): OwnMarker | null =>
  own
    .filter(({ payload }) => isAbout(payload) && payload.id === id && payload.fp === fingerprint)
    .toSorted((one, other) => inTime(one.comment, other.comment))
    .at(-1) ?? null;

const isAbout = (payload: MarkerPayload): payload is Extract<MarkerPayload, { readonly fp: string }> =>
  payload.kind === 'finding' || payload.kind === 'reply' || payload.kind === 'decline';

/**
 * True if the comment is newer than the comments that the bot's answer takes into account. Forges number comments in
 * order.
 */
const isAfter = (comment: ForgeComment, { payload, comment: own }: OwnMarker): boolean =>
  payload.kind === 'reply' && payload.note !== undefined ? Number(comment.id) > payload.note : inTime(own, comment) < 0;

const inTime = (one: ForgeComment, other: ForgeComment): number =>
  one.createdAtMs - other.createdAtMs || Number(one.id) - Number(other.id);
