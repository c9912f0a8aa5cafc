import { z } from 'zod';
import { Id, OptionalFlag } from '../../../webhooks/fields.ts';

const Reviewers = z.array(z.object({ id: Id, re_requested: OptionalFlag }));

/**
 * GitLab sends `{previous, current}`. For a repeated request, GitLab's documentation shows an array of two lists
 * instead.
 */
const ReviewersChange = z.union([
  z.object({ previous: Reviewers.nullish(), current: Reviewers.nullish() }),
  z.tuple([Reviewers, Reviewers]).transform(([previous, current]) => ({ previous, current })),
]);

/** Ids of newly requested and re-requested reviewers. Empty when the change has another shape. */
export const requestedReviewers = (change: unknown): readonly number[] => {
  const parsed = ReviewersChange.safeParse(change);
  if (!parsed.success) return [];
  const before = new Set((parsed.data.previous ?? []).map((reviewer) => reviewer.id));
  return (parsed.data.current ?? [])
    .filter((reviewer) => !before.has(reviewer.id) || reviewer.re_requested === true)
    .map((reviewer) => reviewer.id);
};
