/**
 * Which words in the threads of findings wait for a word of the bot. Derived from what the forge shows, never
 * remembered: a lost webhook, a replay or a wipe of Redis changes nothing.
 */
import type { ForgeComment } from '../../forge/port-facts.ts';
import type { MarkerPayload } from '../model/marker-payload.ts';
import type { OwnMarker } from '../memory/own-markers.ts';
import type { Thread } from '../model/history.ts';
import { parseUserCommand } from './parse-command.ts';

export type Unanswered = {
  readonly thread: Thread;
  /** What others have said since, oldest first; at least one comment. */
  readonly comments: readonly ForgeComment[];
};

export type AnswerSources = {
  readonly comments: readonly ForgeComment[];
  readonly threads: readonly Thread[];
  readonly own: readonly OwnMarker[];
  readonly botIds: ReadonlySet<number>;
  readonly mention: string;
};

/** A thread that was closed or handed over is never entered again, whoever reopens it. */
const isOpen = ({ state, comment }: Thread): boolean =>
  state === 'open' && comment !== null && comment.threadId !== null;

/** Whether the comment, if it is no command, is a part of the talk about an open finding. */
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

/** A command is answered as one, wherever it stands. */
const isCommand = ({ body }: ForgeComment, mention: string): boolean => {
  const spoken = parseUserCommand(body, mention);
  return spoken !== null && spoken.kind !== 'text';
};

/** Wherever it stands: where a forge has no answers in threads, the bot's are comments of their own. */
const lastWord = ({ id, fingerprint }: Thread, own: readonly OwnMarker[]): OwnMarker | null =>
  own
    .filter(({ payload }) => isAbout(payload) && payload.id === id && payload.fp === fingerprint)
    .toSorted((one, other) => inTime(one.comment, other.comment))
    .at(-1) ?? null;

const isAbout = (payload: MarkerPayload): payload is Extract<MarkerPayload, { readonly fp: string }> =>
  payload.kind === 'finding' || payload.kind === 'reply' || payload.kind === 'decline';

/** What came while the answer was being made was not heard by it. The forges number comments as they come. */
const isAfter = (comment: ForgeComment, { payload, comment: own }: OwnMarker): boolean =>
  payload.kind === 'reply' && payload.note !== undefined ? Number(comment.id) > payload.note : inTime(own, comment) < 0;

const inTime = (one: ForgeComment, other: ForgeComment): number =>
  one.createdAtMs - other.createdAtMs || Number(one.id) - Number(other.id);
