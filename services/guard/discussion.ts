/** Splits human comments into replies in the threads of findings, and discussion. */
import type { ForgeComment } from '../../shared/forge/port-facts.ts';
import type { BriefComment, BriefThread } from '../../shared/rounds/model/brief.ts';
import type { Thread } from '../../shared/rounds/model/history.ts';
import { cutPoint } from '../../shared/text/cut.ts';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';

export type TalkSources = {
  readonly comments: readonly ForgeComment[];
  readonly botIds: ReadonlySet<number>;
  /** The threads of findings. Replies in any other thread are part of the discussion. */
  readonly threads: readonly Pick<Thread, 'comment'>[];
};

export type Discussion = {
  readonly repliesTo: (thread: Thread) => BriefThread['replies'];
  /** The newest comments by other people outside the threads of findings, oldest first. */
  readonly discussion: readonly BriefComment[];
};

const MAX_DISCUSSION = 50;
const MAX_REPLIES = 20;
const MAX_CHARACTERS = 4_000;

const NOBODY = '(deleted account)';

const isForeign = ({ author }: ForgeComment, botIds: ReadonlySet<number>): boolean =>
  author === null || !botIds.has(author.id);

const cut = (text: string): string => text.slice(0, cutPoint(text, MAX_CHARACTERS));

/** A marker in a human comment is a copy, so it is removed. */
const textOf = ({ body }: ForgeComment): string => cut(stripMarkers(body));

const asReply = (comment: ForgeComment): BriefThread['replies'][number] => ({
  author: comment.author?.login ?? NOBODY,
  text: textOf(comment),
});

const asDiscussion = (comment: ForgeComment): BriefComment => ({
  author: comment.author?.login ?? NOBODY,
  atMs: comment.createdAtMs,
  text: textOf(comment),
  where: comment.place === null ? null : { path: comment.place.path, line: comment.place.line },
  resolved: comment.resolved ?? false,
});

export const splitDiscussion = ({ comments, botIds, threads }: TalkSources): Discussion => {
  const foreign = comments
    .filter((comment) => isForeign(comment, botIds))
    .toSorted((one, other) => one.createdAtMs - other.createdAtMs);
  const ownThreads = new Set(threads.map(({ comment }) => comment?.threadId ?? null));
  const elsewhere = foreign.filter(({ threadId }) => threadId === null || !ownThreads.has(threadId));
  return {
    repliesTo: ({ comment }) =>
      comment === null || comment.threadId === null
        ? []
        : foreign
            .filter(({ threadId }) => threadId === comment.threadId)
            .slice(-MAX_REPLIES)
            .map(asReply),
    discussion: elsewhere
      .filter((comment) => textOf(comment).trim() !== '')
      .slice(-MAX_DISCUSSION)
      .map(asDiscussion),
  };
};
