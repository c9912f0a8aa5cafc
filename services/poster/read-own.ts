import type { ForgeComment } from '../../shared/forge/port.ts';
import { type OwnMarker, readOwnMarkers } from '../../shared/rounds/history.ts';
import { changeRequestKey } from '../../shared/rounds/vocabulary.ts';
import type { PosterForge } from './deps.ts';
import type { Posting } from './post.ts';

/** After an unknown outcome the write may still become visible; reading too early would post it twice. */
export const SETTLE_MS = 3_500;

export const isMine =
  ({ selfId }: Pick<PosterForge, 'selfId'>) =>
  ({ author }: ForgeComment): boolean =>
    author?.id === selfId;

export type Reading = {
  readonly comments: readonly ForgeComment[];
  /** Oldest first, under every account that is or was the bot. */
  readonly own: readonly OwnMarker[];
};

export const readOwn = async (posting: Posting): Promise<readonly OwnMarker[]> => (await readAll(posting)).own;

/** `known`: the reading before, where only the conversation was written in since. */
export const readAll = async ({ deps, forge, plan, signal }: Posting, known?: Reading): Promise<Reading> => {
  const comments = await forge.read.fetchComments(plan.changeRequest, signal, known?.comments);
  const { own } = readOwnMarkers({
    comments,
    key: changeRequestKey(plan.changeRequest),
    botIds: forge.botIds,
    secrets: deps.markerSecrets,
  });
  const sorted = own.toSorted(
    (one, other) => one.comment.createdAtMs - other.comment.createdAtMs || byId(one.comment, other.comment),
  );
  return { comments, own: sorted };
};

const byId = (one: ForgeComment, other: ForgeComment): number => Number(one.id) - Number(other.id);
