/** The reviewers of one case: a new one for each review, because each has its own budget and its own conversations. */
import type { Transcript } from '../../../shared/agent/transcript.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import { type LocalReviewer, spentBy } from '../review/local-runners.ts';
import type { NextReviewer } from './rounds/review-push.ts';

export type CaseReviewers = {
  /** Null if the budget leaves nothing for another review. */
  readonly next: () => Promise<NextReviewer | null>;
  /** What all of them have cost so far. */
  readonly spent: () => Promise<Spent>;
  /** Their conversations, in the order of the reviews. */
  readonly transcripts: () => readonly Transcript[];
};

/** The default of `fixpoint review`. */
export const REVIEW_BUDGET_USD = 5;
/** The smallest budget that a review can have. */
export const LEAST_USD = 0.01;

type Paying = {
  /** What is left for this case. */
  readonly leftUsd: number;
  readonly reviewerWith: (budgetUsd: number) => LocalReviewer;
};

export const createCaseReviewers = ({ leftUsd, reviewerWith }: Paying): CaseReviewers => {
  const used: LocalReviewer[] = [];
  const spent = async (): Promise<Spent> => {
    let total = NOTHING_SPENT;
    for (const reviewer of used) total = addSpent(total, await spentBy(reviewer));
    return total;
  };
  return {
    spent,
    next: async () => {
      const left = leftUsd - (await spent()).costUsd;
      if (left < LEAST_USD) return null;
      const reviewer = reviewerWith(Math.min(left, REVIEW_BUDGET_USD));
      used.push(reviewer);
      return { reviewer, isShort: left < REVIEW_BUDGET_USD };
    },
    transcripts: () => used.flatMap((each) => (each.kind === 'agent' ? each.model.transcripts.all() : [])),
  };
};
