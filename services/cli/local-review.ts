import { withProgress } from './progress/open-progress.ts';
import type { ReviewWatch } from './progress/watch.ts';
import { workOf } from './progress/work.ts';
import { printOutput } from './report/print-output.ts';
import { planText, plannedParts } from './review/plan-text.ts';
import { agentOf, connectLocalModel, keysIn } from './review/review-model.ts';
import { chooseReviewer } from './review/choose-runner.ts';
import { type LocalReviewer, RUN_ID } from './review/local-runners.ts';
import { LocalReviewFailedError } from './review/review-failure.ts';
import { type ReviewOptions, reviewRequestOf } from './review/review-options.ts';
import type { ReviewOutput } from './review/review-output.ts';
import { type LocalReviewRequest, planWith, reviewWith } from './review/review-request.ts';
import { printJson } from './terminal/print-json.ts';
import { UsageError } from './terminal/usage-error.ts';

/** `fixpoint review`: prints the result to stdout and progress to stderr; the exit code is the verdict. */
export const runReview = async (options: ReviewOptions): Promise<number> => {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(new Error('interrupted'));
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  try {
    const { signal } = leaving;
    if (options.plan === true) return await printPlan(options, signal);
    return printOutput(await withProgress(options, async (watch) => reviewWatched(options, watch, signal)), options);
  } catch (error) {
    if (error instanceof LocalReviewFailedError && error.output !== null) printOutput(error.output, options);
    throw error;
  } finally {
    process.off('SIGINT', leave);
    process.off('SIGTERM', leave);
  }
};

const BAD_USAGE = 2;

/** Needs no key, because no model is called. The exit code says whether the review would be refused. */
const printPlan = async (options: ReviewOptions, signal: AbortSignal): Promise<number> => {
  const request = reviewRequestOf(options);
  if (request.mode === 'codebase') throw new UsageError('--plan: not allowed with --mode codebase');
  const agent = agentOf(request);
  const found = keysIn(agent, process.env);
  const keys = found.kind === 'found' ? found : NO_KEYS;
  const model = connectLocalModel(request, { agent, keys, env: process.env, observe: () => {} });
  const plan = await planWith(model, { ...request, signal });
  if ('nothing' in plan) throw new UsageError(`nothing to plan: ${plan.nothing}`);
  process.stdout.write(options.format === 'json' ? printJson({ parts: plannedParts(plan) }) : planText(plan));
  return plan.parts.length > 1 && plan.fit.left.length > 0 ? BAD_USAGE : 0;
};

/** Stands for keys where none is needed. */
const NO_KEYS = { kind: 'found', key: 'no key', providers: new Map<string, string>() } as const;

const reviewWatched = async (
  options: ReviewOptions,
  watch: ReviewWatch,
  signal: AbortSignal,
): Promise<ReviewOutput> => {
  const request: LocalReviewRequest = {
    ...reviewRequestOf(options),
    signal,
    onProgress: watch.step,
    onNotice: watch.notice,
  };
  // Progress shows a model's turns by reading its conversation, so the reviewer reports none.
  const onProgress = options.verbose === true ? watch.notice : (): void => {};
  const { reviewer, notice } = chooseReviewer(request, { env: process.env, onProgress });
  if (notice !== null) watch.notice(notice);
  follow(reviewer, watch);
  return reviewWith(reviewer, request);
};

/** The Claude Code CLI has a conversation of its own. */
const follow = (reviewer: LocalReviewer, watch: ReviewWatch): void => {
  if (reviewer.kind !== 'agent') return;
  const { transcripts } = reviewer.model;
  watch.follow(async () => workOf(await transcripts.load(RUN_ID)));
};
