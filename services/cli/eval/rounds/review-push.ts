/** One run of a reviewer on a brief, as the reviewer service does it, in this process. */
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { MODEL_REFUSED } from '../../../../shared/outage/outage.ts';
import type { Brief } from '../../../../shared/rounds/model/brief.ts';
import type { Carried } from '../../../../shared/rounds/model/carried.ts';
import type { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import { DEFAULT_PROJECT_IGNORES } from '../../../../shared/vocabulary/ignores.ts';
import type { LocalRepository } from '../../../../shared/workspace/local/local.ts';
import type { Revisions } from '../../../../shared/workspace/git/revisions.ts';
import { reviewOnce, type ReviewResult } from '../../../reviewer/review.ts';
import { findSameInput } from '../../../reviewer/same-input.ts';
import { taskOf } from '../../../reviewer/task.ts';
import { analyzeLocally, localAnalyzers } from '../../analyzers/local-analyzers.ts';
import { type LocalReviewer, localRunnersOf, redactorOf, type RunnerPlace } from '../../review/local-runners.ts';
import { type CageSearch, findLocalCage, namedConfig } from '../../review/review-cage.ts';
import { LocalReviewFailedError, orFailed } from '../../review/review-failure.ts';
import { LOCAL_LIMITS } from '../../review/review-local.ts';
import { refusingWhatDoesNotFit } from '../../review/review-plan.ts';

/** A reviewer for one run. `isShort`: the budget of all cases leaves less for it than a review may cost. */
export type NextReviewer = { readonly reviewer: LocalReviewer; readonly isShort: boolean };

export type PushReviews = {
  readonly repository: Pick<LocalRepository, 'git'>;
  readonly revisions: Revisions;
  readonly scratchFolder: string;
  readonly cage: CageSearch;
  /** Contract: a new reviewer for each run; null if nothing is left to pay for one. */
  readonly nextReviewer: () => Promise<NextReviewer | null>;
};

export type PushReviewed =
  | { readonly kind: 'drafted'; readonly draft: ReviewDraft }
  | { readonly kind: 'same_input'; readonly carried: Carried }
  | { readonly kind: 'failed'; readonly code: string; readonly lastWords: string | null }
  /** The budget of all cases ended. */
  | { readonly kind: 'unpaid' };

/** Contract: one function for all runs of a change request, because it keeps the notes of the model. */
export type ReviewPush = (brief: Brief, signal: AbortSignal) => Promise<PushReviewed>;

/** @throws LocalReviewFailedError if the provider rejects the key or the model; GitError; UsageError; the signal's reason */
export const createReviewPush = (reviews: PushReviews): ReviewPush => {
  let notes: string | null = null;
  const saveNotes = async (latest: string): Promise<void> => void (notes = latest);
  return async (brief, signal) => {
    const carried = await findCarried(brief, reviews, signal);
    if (carried !== null) return { kind: 'same_input', carried };
    const next = await reviews.nextReviewer();
    if (next === null) return { kind: 'unpaid' };
    const folder = await mkdtemp(path.join(reviews.scratchFolder, 'review-'));
    try {
      const reviewing = { ...reviews, ...next, folder, saveNotes, earlierNotes: notes };
      return outcomeOf(await orFailed(async () => review(brief, reviewing, signal), signal), next);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
};

const ignoring = () => ({ which: DEFAULT_PROJECT_IGNORES, nowMs: Date.now(), forgeUrls: null });

const findCarried = async (
  brief: Brief,
  { repository: { git }, revisions, scratchFolder }: PushReviews,
  signal: AbortSignal,
): Promise<Carried | null> =>
  findSameInput(brief, {
    access: { dataFolder: scratchFolder, gitPath: git.gitPath },
    git,
    revisions,
    limits: LOCAL_LIMITS,
    operatorRules: '',
    ignoring: ignoring(),
    signal,
  });

const outcomeOf = (result: ReviewResult, { isShort }: NextReviewer): PushReviewed => {
  if (result.kind === 'draft')
    return isShort && result.draft.exceeded?.budget === 'money'
      ? { kind: 'unpaid' }
      : { kind: 'drafted', draft: result.draft };
  if (result.kind !== 'failed') throw new LocalReviewFailedError(result.kind);
  if (MODEL_REFUSED.has(result.code)) throw new LocalReviewFailedError(result.code);
  return { kind: 'failed', code: result.code, lastWords: result.rawText };
};

type Reviewing = PushReviews &
  NextReviewer & {
    /** Private to this run. */
    readonly folder: string;
    readonly saveNotes: (notes: string) => Promise<void>;
    readonly earlierNotes: string | null;
  };

const review = async (
  brief: Brief,
  { revisions, reviewer, cage: search, folder, saveNotes, earlierNotes }: Reviewing,
  signal: AbortSignal,
): Promise<ReviewResult> => {
  const analyzers = localAnalyzers(namedConfig(search), search.onNotice);
  const cage = await findLocalCage(search, { reviewer, folder, analyzes: analyzers.length > 0 }, signal);
  const checkoutFolder = path.join(folder, 'checkouts');
  const base = cage === null ? null : brief.mergeBase;
  const place: RunnerPlace = { revisions, head: brief.head, base, checkoutFolder, cage, saveNotes };
  const staff = localRunnersOf(reviewer, place);
  try {
    return await reviewOnce({
      analyze: analyzeLocally({ ...place, target: brief.targetHead }, analyzers),
      identity: brief,
      request: brief,
      task: taskOf(brief, earlierNotes),
      scope: staff.scope,
      source: { revisions, limits: LOCAL_LIMITS, signal },
      runner: refusingWhatDoesNotFit(staff.runner, reviewer),
      operatorRules: '',
      ignoring: ignoring(),
      redact: redactorOf(reviewer),
    });
  } finally {
    await staff.dispose();
  }
};
