/** Finds the earlier finding that a new finding repeats: by fingerprint, otherwise by code, current place and words. */
import type { CheckedFinding, MovedThread } from '../model/draft.ts';
import { type Claim, isSameClaim } from './duplicates.ts';
import { readFinding } from '../memory/finding-comment.ts';
import type { Thread } from '../model/history.ts';

export type Matching = {
  readonly review: number;
  readonly moved: readonly MovedThread[];
  readonly threshold: number;
};

/** Prefers a thread with the same fingerprint, then an open similar thread, then a closed similar one. Among equals, the last. */
export const findThread = (
  finding: CheckedFinding,
  threads: readonly Thread[],
  matching: Matching,
): Thread | undefined => {
  const exact = threads.findLast(({ fingerprint }) => fingerprint === finding.fingerprint);
  if (exact !== undefined) return exact;
  const similar = threads.filter((thread) => isSimilar(finding, thread, matching));
  return similar.findLast(({ state }) => state === 'open') ?? similar.at(-1);
};

/**
 * Threads that this review has posted in part match only by fingerprint. A model may repeat the claim of a rule; a rule may
 * repeat only claims that are its own, also beside another rule.
 */
const isSimilar = (finding: CheckedFinding, thread: Thread, { review, moved, threshold }: Matching): boolean => {
  if (thread.review === review) return false;
  const now = moved.find(({ findingId }) => findingId === thread.id);
  const place = now === undefined ? thread.place : now.place;
  if (place === null) return false;
  const { claim } = finding;
  if (claim.rule !== null) {
    const isOwn = [thread.rule, ...(thread.alsoRules ?? [])].includes(claim.rule);
    return isOwn && place.path === claim.path && place.line === claim.line;
  }
  const known = {
    place,
    title: thread.title,
    body: readFinding(thread.comment).prose,
    citedCode: now?.citedCode ?? '',
  };
  return isSameClaim(claimOf(finding), known, threshold);
};

/** Two findings of one draft need a higher similarity to count as the same: the model saw both and reported both. */
const WITHIN_DRAFT = 0.9;

/** A rule uses the same words for all its findings, so these match by fingerprint only. */
export const isSameFinding = (one: CheckedFinding, other: CheckedFinding, threshold: number): boolean =>
  one.fingerprint === other.fingerprint ||
  (one.claim.rule === null &&
    other.claim.rule === null &&
    isSameClaim(claimOf(one), claimOf(other), Math.max(threshold, WITHIN_DRAFT)));

const claimOf = ({ claim }: CheckedFinding): Claim => ({
  place: claim,
  title: claim.title,
  body: claim.body,
  citedCode: claim.evidence,
});
