/** Which comments of findings people may have given a thumb, and how the thumbs count. For metrics only: nothing is decided by them. */
import type { GivenThumb, Thumb } from '../../forge/port-reactions.ts';
import type { FindingMarker } from '../model/marker-payload.ts';
import type { OwnMarker } from './own-markers.ts';

/** `rule` and `model`: who made the claim. One of them is `none`. */
export type Claimant = { readonly rule: string; readonly model: string };

/** A finding may have two comments, because a poster was killed between two writes. */
export type RatedFinding = Claimant & { readonly commentIds: readonly string[] };

/** Of one change request. Each comment costs one request to the forge. */
export const MAX_RATED_COMMENTS = 100;

const claimantOf = ({ rule, model = 'unknown' }: FindingMarker): Claimant =>
  rule === null ? { rule: 'none', model } : { rule, model: 'none' };

/** The findings that have comments, the oldest first. */
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
 * One finding's thumbs, each account once. An account with both thumbs has no opinion, and deleted accounts cannot be told apart:
 * neither counts.
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
