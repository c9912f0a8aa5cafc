/** Finds the accounts that wrote the signed markers of a change request. */
import type { Account, ForgeComment } from '../../../shared/forge/port-facts.ts';
import { readMarkers } from '../../../shared/rounds/memory/marker.ts';
import { type ChangeRequest, changeRequestKey, keyOnForge } from '../../../shared/vocabulary/ids.ts';

type Reading = {
  readonly comments: readonly ForgeComment[];
  readonly of: ChangeRequest;
  readonly secrets: readonly string[];
};

/** Returns each account once, oldest marker first: a copy of a marker is newer than the marker. */
export const markerAuthors = ({ comments, of, secrets }: Reading): readonly Account[] => {
  const key = keyOnForge(changeRequestKey(of));
  const signs = ({ body }: ForgeComment): boolean =>
    readMarkers(body, secrets).some((reading) => reading.kind === 'valid' && keyOnForge(reading.payload.cr) === key);
  const authors = comments
    .toSorted((one, other) => one.createdAtMs - other.createdAtMs)
    .flatMap((comment) => (comment.author !== null && signs(comment) ? [comment.author] : []));
  return [...new Map(authors.map((author) => [author.id, author])).values()];
};
