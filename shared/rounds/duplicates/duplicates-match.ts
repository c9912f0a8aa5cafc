/** Finds the earlier finding that a new one repeats: by fingerprint, else by code, current place and words. */
import type { CheckedFinding, MovedThread } from '../model/draft.ts';
import { type Claim, isSameClaim } from './duplicates.ts';
import { readFinding } from '../memory/finding-comment.ts';
import type { Thread } from '../model/history.ts';

export type Matching = {
  readonly review: number;
  readonly moved: readonly MovedThread[];
  readonly threshold: number;
};

/** The same fingerprint first, then an open similar thread, then a closed one. Among equals, the last one. */
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

/** Half-posted threads of this review match only by fingerprint. Models may repeat a rule's claim; rules only their own. */
const isSimilar = (finding: CheckedFinding, thread: Thread, { review, moved, threshold }: Matching): boolean => {
  if (thread.review === review) return false;
  const now = moved.find(({ findingId }) => findingId === thread.id);
  const place = now === undefined ? thread.place : now.place;
  if (place === null) return false;
  const { claim } = finding;
  if (claim.rule !== null) {
    return thread.rule === claim.rule && place.path === claim.path && place.line === claim.line;
  }
  const known = {
    place,
    title: thread.title,
    body: readFinding(thread.comment).prose,
    citedCode: now?.citedCode ?? '',
  };
  return isSameClaim(claimOf(finding), known, threshold);
};

/** Two findings of one draft need a higher similarity: the model saw both and reported both. */
const WITHIN_DRAFT = 0.9;

/** A rule uses the same words everywhere, so its findings match by fingerprint only. */
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
