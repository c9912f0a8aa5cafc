/** Reviews one local range: no server, no forge, no credentials, no writes to the repository. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Limits } from '../../../shared/config/schema.ts';
import { DEFAULT_PROJECT_IGNORES } from '../../../shared/vocabulary/ignores.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { findGit } from '../../../shared/workspace/git/git.ts';
import { type LocalRepository, openLocalRepository } from '../../../shared/workspace/local/local.ts';
import type { Uncommitted } from '../../../shared/workspace/local/uncommitted.ts';
import { createRevisions, type Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { PacketLimits } from '../../reviewer/packet/packet.ts';
import type { AnalyzeFiles } from '../../reviewer/rules/analyze-packet.ts';
import { reviewOnce, type ReviewResult } from '../../reviewer/review.ts';
import type { ReviewTask } from '../../reviewer/run/prompt.ts';
import { analyzeLocally, localAnalyzers } from '../analyzers/local-analyzers.ts';
import { readEnds, withCode } from './code-frame.ts';
import { type CageSearch, type CageUse, findLocalCage, namedConfig } from './review-cage.ts';
import { orFailed, withoutModel } from './review-failure.ts';
import { nothingToReview, unlessFiltered, unlessUnmatched, watchFilter, whyNothing } from './review-nothing.ts';
import type { Reviewed, ReviewOutput } from './review-output.ts';
import { refusingWhatDoesNotFit } from './review-plan.ts';
import { findEnds, type LocalRange, titleOf } from './review-range.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { outputOf } from './review-result.ts';
import {
  type LocalReviewer,
  redactorOf,
  RUN_ID,
  ruleRunners,
  spentBy,
  type LocalRunners,
  type RunnerPlace,
  localRunnersOf,
} from './local-runners.ts';

export type ChangeWords = { readonly title: string; readonly description: string };

export type LocalReview = {
  readonly directory: string;
  /**
   * Any revision name that git accepts. The review starts at its merge base with `head`. Undefined: the default branch of
   * the remote.
   */
  readonly base: string | undefined;
  readonly head: string;
  /** Reviews uncommitted changes on top of `HEAD`, instead of `head`. */
  readonly uncommitted?: Uncommitted | undefined;
  /** Only files that match one of these patterns are reviewed. If empty, all files are reviewed. */
  readonly paths?: readonly string[] | undefined;
  /** What the author says about the change. Default: the range as the title. */
  readonly about?: ChangeWords | undefined;
  readonly reviewer: LocalReviewer;
  readonly searchPath: string;
  readonly cage: CageSearch;
  /** Contract: shows a step to the user; must not throw. */
  readonly onProgress: (step: string) => void;
  readonly signal: AbortSignal;
};

export const LOCAL_LIMITS: PacketLimits = {
  maxFiles: 5_000,
  maxDiffBytes: 64 * 1024 * 1024,
  maxFileBytes: Limits.parse({}).maxFileBytes,
  includePaths: [],
  excludePaths: [],
};

/**
 * When the model could not complete the review, the result is `inconclusive` and holds the findings of the rules.
 * @throws the errors of `findEnds` and `findLocalCage`; GitError, LocalReviewFailedError; the signal's reason on an abort
 */
export const reviewLocal = async (review: LocalReview): Promise<ReviewOutput> =>
  onRange(review, {
    use: async (whole, scratchFolder) => {
      const analyzers = localAnalyzers(namedConfig(review.cage), review.cage.onNotice);
      const place = await placeOf(whole, { folder: scratchFolder, analyzes: analyzers.length > 0 });
      const analyzed = { ...whole, analyze: analyzeLocally({ ...place, target: whole.targetHead }, analyzers) };
      return reviewStaffed(analyzed, localRunnersOf(review.reviewer, place));
    },
    nothing: nothingToReview,
  });

export type OnRange<Result> = {
  /** Contract: `scratchFolder` is private to this call and is removed after it. */
  readonly use: (range: Range, scratchFolder: string) => Promise<Result>;
  readonly nothing: (of: Reviewed, why: string) => Result;
};

/** @throws the errors of `reviewLocal`, except for those of the cage */
export const onRange = async <Result>(review: LocalReview, on: OnRange<Result>): Promise<Result> => {
  const scratchFolder = await mkdtemp(path.join(tmpdir(), 'fixpoint-review-'));
  try {
    const gitPath = findGit(review.searchPath);
    const repository = await openLocalRepository(
      { directory: review.directory, gitPath, scratchFolder, env: review.cage.env },
      review.signal,
    );
    return await openRange(review, { repository, scratchFolder, on });
  } finally {
    await rm(scratchFolder, { recursive: true, force: true });
  }
};

/** @throws UsageError when no base is given and none is known */
const withBase = async (review: LocalReview, repository: LocalRepository): Promise<BasedReview> => {
  const base = review.base ?? (await repository.findDefaultBranch(review.signal));
  if (base === null) throw new UsageError(NO_BASE);
  return { ...review, base };
};

const NO_BASE =
  '--base is missing, and the clone does not know the default branch of its remote: name the commit that the change will be merged into, or run `git remote set-head origin --auto` once (or use --staged or --worktree for uncommitted changes)';

type BasedReview = LocalReview & { readonly base: string };

type Opening<Result> = {
  readonly repository: LocalRepository;
  readonly scratchFolder: string;
  readonly on: OnRange<Result>;
};

const openRange = async <Result>(
  given: LocalReview,
  { repository, scratchFolder, on }: Opening<Result>,
): Promise<Result> => {
  const review = await withBase(given, repository);
  const range = rangeOf(review);
  const ends = await findEnds(repository, range, { signal: review.signal, onNotice: review.cage.onNotice });
  const revisions = createRevisions(repository.git, { borrowed: repository.objectFolders });
  try {
    const mergeBase = await revisions.mergeBase(ends.targetHead, ends.head, review.signal);
    const commits = { head: ends.head, target: ends.targetHead, mergeBase };
    const of: Reviewed = { mode: 'change', runner: review.reviewer.kind, commits };
    const nothing = await whyNothing({ repository, revisions, ends, range }, review.signal);
    if (nothing !== null) return on.nothing(of, nothing);
    return await on.use({ review, revisions, of, ...ends }, scratchFolder);
  } finally {
    revisions.close();
  }
};

const rangeOf = ({ base, head, uncommitted }: BasedReview): LocalRange =>
  uncommitted === undefined ? { kind: 'commits', base, head } : { kind: uncommitted, base };

const placeOf = async (
  { review, revisions, head, targetHead }: Range,
  { folder, analyzes }: Omit<CageUse, 'reviewer'>,
): Promise<RunnerPlace> => {
  const { reviewer, signal } = review;
  const cage = await findLocalCage(review.cage, { reviewer, folder, analyzes }, signal);
  const base = cage === null ? null : await revisions.mergeBase(head, targetHead, signal);
  return { revisions, head, base, checkoutFolder: path.join(folder, 'checkouts'), cage };
};

type Analyzed = Range & { readonly analyze: AnalyzeFiles };

const reviewStaffed = async (range: Analyzed, staff: LocalRunners): Promise<ReviewOutput> => {
  const { review, head, targetHead } = range;
  review.onProgress(`reviewing ${head.slice(0, 10)} against ${targetHead.slice(0, 10)} with ${staff.runner.name}`);
  try {
    const output = await withCode(await reviewWith(range, staff), readEnds(endsOf(range)), review.signal);
    review.onProgress(`${output.coverage.reviewed} of ${output.coverage.files} changed files reviewed`);
    return output;
  } finally {
    await staff.dispose();
  }
};

const endsOf = ({ revisions, head, of }: Range) => ({ revisions, head, base: of.commits?.mergeBase ?? null });

export type Range = {
  readonly review: BasedReview;
  readonly revisions: Revisions;
  readonly of: Reviewed;
  readonly head: CommitSha;
  readonly targetHead: CommitSha;
};

const reviewWith = async (range: Analyzed, staff: LocalRunners): Promise<ReviewOutput> => {
  const { reviewer, signal } = range.review;
  const watched = watchFilter(refusingWhatDoesNotFit(staff.runner, reviewer));
  const result = await orFailed(async () => run(range, { ...staff, runner: watched.runner }), signal);
  if (result.kind === 'draft') {
    const output = unlessFiltered(outputOf(range.of, result.draft), watched.filteredOut());
    return unlessUnmatched(output, range.review.paths ?? []);
  }
  return withoutModel(result, async (failure) => {
    const byRules = await run(range, ruleRunners());
    if (byRules.kind !== 'draft') throw new Error('the rules produced no draft');
    return outputOf(range.of, { ...byRules.draft, spent: await spentBy(reviewer) }, failure);
  });
};

const run = async (
  { review, revisions, head, targetHead, analyze }: Analyzed,
  staff: LocalRunners,
): Promise<ReviewResult> =>
  reviewOnce({
    analyze,
    identity: { runId: RUN_ID, review: 1, attempt: 1 },
    request: { head, targetHead, openThreads: [], previous: null },
    task: localTask(review),
    scope: staff.scope,
    source: { revisions, limits: { ...LOCAL_LIMITS, includePaths: review.paths ?? [] }, signal: review.signal },
    runner: staff.runner,
    // No verdict is carried over, so no operator rules are compared.
    operatorRules: '',
    ignoring: { which: DEFAULT_PROJECT_IGNORES, nowMs: Date.now(), forgeUrls: null },
    redact: redactorOf(review.reviewer),
  });

const localTask = (review: BasedReview): ReviewTask => ({
  title: review.about?.title || titleOf(rangeOf(review)),
  description: review.about?.description ?? '',
  author: '',
  targetBranch: review.base,
  review: 1,
  stage: 'open',
  closedThreads: [],
  comments: [],
  replies: new Map(),
  instructions: null,
  earlierNotes: null,
});
