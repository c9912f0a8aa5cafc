/**
 * Finds the finding comments to which people may have reacted, and counts the thumbs-up and thumbs-down reactions. Used
 * for metrics only.
 */
import type { GivenThumb, Thumb } from '../../forge/port-reactions.ts';
import type { FindingMarker } from '../model/marker-payload.ts';
import type { OwnMarker } from './own-markers.ts';

/** `rule` and `model`: which rule or model made the claim. One of the two is `none`. */
export type Claimant = { readonly rule: string; readonly model: string };

/** A finding has two comments if a poster was killed between two writes. */
export type RatedFinding = Claimant & { readonly commentIds: readonly string[] };

/** Limit per change request, because each comment costs one request to the forge. */
export const MAX_RATED_COMMENTS = 100;

const claimantOf = ({ rule, model = 'unknown' }: FindingMarker): Claimant =>
  rule === null ? { rule: 'none', model } : { rule, model: 'none' };

/** Returns the findings that have comments, oldest first. */
export const ratedFindings = (own: readonly OwnMarker[]): readonly RatedFinding[] => {
  const comments = own.flatMap(({ payload, comment }) =>
    payload.kind === 'finding' ? [{ payload, commentId: comment.id }] : [],
  );
  const findings = new Map<string, RatedFinding>();
  for (const { payload, commentId } of comments.slice(0, MAX_RATED_COMMENTS)) {
    const key = `${payload.id} ${payload.fp}`;
    const known = findings.get(key) ?? { ...claimantOf(payload), commentIds: [] };
    findings.set(key, { ...known, commentIds: [...known.commentIds, commentId] });
  }
  return [...findings.values()];
};

/**
 * Counts one finding's reactions, each account once. An account that gave both reactions does not count, nor do deleted
 * accounts, which cannot be told apart.
 */
export const countThumbs = (
  given: readonly GivenThumb[],
  isBot: (accountId: number) => boolean,
): Readonly<Record<Thumb, number>> => {
  const accountsFor = (wanted: Thumb): ReadonlySet<number> =>
    new Set(
      given.flatMap(({ accountId, thumb }) =>
        thumb === wanted && accountId !== null && !isBot(accountId) ? [accountId] : [],
      ),
    );
  const [up, down] = [accountsFor('up'), accountsFor('down')];
  const without = (one: ReadonlySet<number>, other: ReadonlySet<number>): number =>
    [...one].filter((accountId) => !other.has(accountId)).length;
  return { up: without(up, down), down: without(down, up) };
};
