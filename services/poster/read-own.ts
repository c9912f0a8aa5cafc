import type { ChangeRequestFacts, ForgeComment } from '../../shared/forge/port-facts.ts';
import type { KnownComments } from '../../shared/forge/port.ts';
import { type OwnMarker, readOwnMarkers } from '../../shared/rounds/memory/own-markers.ts';
import { changeRequestKey } from '../../shared/vocabulary/ids.ts';
import type { PosterForge, Posting } from './deps.ts';

/** After an unknown outcome, the write may become visible only later; reading too early would post it twice. */
export const SETTLE_MS = 3_500;

export const isMine =
  ({ selfId }: Pick<PosterForge, 'selfId'>) =>
  ({ author }: ForgeComment): boolean =>
    author?.id === selfId;

export type Reading = {
  readonly comments: readonly ForgeComment[];
  /** The bot's comments, oldest first, by every account that the bot uses or has used. */
  readonly own: readonly OwnMarker[];
};

export const readOwn = async (posting: Posting): Promise<readonly OwnMarker[]> => (await readAll(posting)).own;

export const readAll = async (posting: Posting, known?: KnownComments): Promise<Reading> => {
  const { forge, plan, signal } = posting;
  return readingOf(posting, await forge.read.fetchComments(plan.changeRequest, signal, known));
};

const readingOf = ({ deps, forge, plan }: Posting, comments: readonly ForgeComment[]): Reading => {
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

/** Returns what guard read for this plan; null if it is outdated (`facts` are current) or an earlier attempt took it. */
export const takeLook = async (posting: Posting, facts: ChangeRequestFacts): Promise<Reading | null> => {
  const { deps, plan } = posting;
  const look = await deps.readings.takeLook(plan.changeRequest, plan.planId);
  return look?.facts.updatedAtMs === facts.updatedAtMs ? readingOf(posting, look.comments) : null;
};
