/** The review of one case, as `fixpoint review` or as a server does it, turned into a result. Failures of a case are results. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { EvalCase, EvalChangeCase } from '../../../shared/eval/case.ts';
import type { EvalFinding, EvalResult } from '../../../shared/eval/result.ts';
import type { EvalRoundsCase } from '../../../shared/eval/rounds-case.ts';
import { AppError } from '../../../shared/errors.ts';
import { MODEL_REFUSED } from '../../../shared/outage/outage.ts';
import { createRevisions } from '../../../shared/workspace/git/revisions.ts';
import { openLocalRepository } from '../../../shared/workspace/local/local.ts';
import { LocalReviewFailedError } from '../review/review-failure.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { reviewWith } from '../review/review-request.ts';
import { buildChange, type BuildPlace } from './build/build-change.ts';
import { buildPushes } from './build/build-pushes.ts';
import { findLabelPaths } from './build/label-paths.ts';
import type { CaseReviewers } from './case-reviewers.ts';
import { playPushes } from './rounds/play-pushes.ts';
import { createReviewPush } from './rounds/review-push.ts';

export type CaseReview = {
  readonly case: EvalCase;
  readonly repeat: number;
  readonly reviewers: CaseReviewers;
  readonly place: BuildPlace;
  readonly configPath?: string | undefined;
  /** Contract: must not throw. */
  readonly onNotice: (line: string) => void;
};

/** The review of a case ended early because of the other cases, so it says nothing about the reviewer. */
export const RAN_OUT = 'BUDGET_EXCEEDED';
const RAN_OUT_TEXT = 'the budget of the run ended during this review';

/** @throws LocalReviewFailedError if the provider rejects the key or the model, because every other case would fail too; the signal's reason */
export const reviewCase = async (review: CaseReview, signal: AbortSignal): Promise<EvalResult> => {
  const { case: of, repeat, reviewers } = review;
  const named = { caseId: of.id, repeat };
  const failed = async (code: string, message: string): Promise<EvalResult> => ({
    kind: 'failed',
    ...named,
    code,
    message,
    spent: await reviewers.spent(),
  });
  try {
    const found = of.kind === 'rounds' ? await reviewRounds(of, review, signal) : await reviewOnce(of, review, signal);
    return found === null ? await failed(RAN_OUT, RAN_OUT_TEXT) : { ...found, ...named };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || isRefused(error)) throw error;
    return failed(error.code, error.message);
  }
};

const isRefused = (error: AppError): boolean =>
  error instanceof LocalReviewFailedError && MODEL_REFUSED.has(String(error.fields['reason']));

/** A result without the names of its case. */
type Found = EvalResult extends infer Each
  ? Each extends EvalResult
    ? Omit<Each, 'caseId' | 'repeat'>
    : never
  : never;

const reviewOnce = async (
  of: EvalChangeCase,
  { reviewers, place, configPath, onNotice }: CaseReview,
  signal: AbortSignal,
): Promise<Found | null> => {
  const next = await reviewers.next();
  if (next === null) return null;
  const { directory, base, head } = await buildChange(of, place, signal);
  const labelPaths = await findLabelPaths(of.golden, { directory, base, head, gitPath: place.gitPath }, signal);
  const output = await reviewWith(next.reviewer, {
    workspacePath: directory,
    base,
    head,
    about: { title: of.title, description: of.description },
    configPath,
    onProgress: () => {},
    onNotice,
    signal,
  });
  if (next.isShort && output.exceeded?.budget === 'money') return null;
  return { kind: 'reviewed', ...resultOf(output), labelPaths };
};

const reviewRounds = async (
  of: EvalRoundsCase,
  { reviewers, place, configPath, onNotice }: CaseReview,
  signal: AbortSignal,
): Promise<Found | null> => {
  const { directory, base, heads } = await buildPushes(of, place, signal);
  const { gitPath, env } = place;
  const scratchFolder = await mkdtemp(path.join(place.scratchFolder, 'rounds-'));
  const repository = await openLocalRepository({ directory, gitPath, scratchFolder, env }, signal);
  const revisions = createRevisions(repository.git, { borrowed: repository.objectFolders });
  try {
    const cage = { configPath, env, onNotice };
    const reviewPush = createReviewPush({ repository, revisions, scratchFolder, cage, nextReviewer: reviewers.next });
    const reviews = await playPushes({ words: of, base, heads, reviewPush }, signal);
    return reviews === null ? null : { kind: 'rounds', reviews: [...reviews], spent: await reviewers.spent() };
  } finally {
    revisions.close();
  }
};

const findingOf = (finding: ReviewOutput['findings'][number]): EvalFinding => {
  const { path: at, side, startLine, line, severity, title, body, evidence, rule } = finding;
  return { path: at, side, startLine, line, severity, title, body, evidence, rule };
};

const resultOf = ({ verdict, summary, findings, coverage, spent }: ReviewOutput) => ({
  verdict,
  findings: findings.map(findingOf),
  changedLines: (coverage.receipts ?? []).reduce((sum, { lines }) => sum + lines, 0),
  // The last line of the summary has the verdict and its reasons.
  notes: verdict === 'inconclusive' ? [summary.split('\n').at(-1) ?? ''] : [],
  spent,
});
