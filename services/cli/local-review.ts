import { escapeForTerminalLine } from '../../shared/text/visible.ts';
import { withProgress } from './progress/open-progress.ts';
import type { ReviewWatch } from './progress/watch.ts';
import { workOf } from './progress/work.ts';
import { printOutput } from './report/print-output.ts';
import { planText, plannedParts } from './review/plan-text.ts';
import { isRefused } from './review/review-plan.ts';
import { agentOf, connectLocalModel, keysIn } from './review/review-model.ts';
import { chooseReviewer } from './review/choose-runner.ts';
import { type LocalReviewer, RUN_ID } from './review/local-runners.ts';
import { LocalReviewFailedError } from './review/review-failure.ts';
import { type ReviewOptions, reviewRequestOf } from './review/review-options.ts';
import type { ReviewOutput } from './review/review-output.ts';
import { type LocalReviewRequest, planWith, reviewWith } from './review/review-request.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';
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

/** Needs no key, because no model is called. The exit code says whether the review would be refused. */
const printPlan = async (options: ReviewOptions, signal: AbortSignal): Promise<number> => {
  const request = reviewRequestOf(options);
  if (request.mode === 'codebase') throw new UsageError('--plan: not allowed with --mode codebase');
  refuseUnplanned(options);
  const agent = agentOf(request);
  const found = keysIn(agent, process.env);
  const keys = found.kind === 'found' ? found : NO_KEYS;
  const model = connectLocalModel(request, { agent, keys, env: process.env, observe: () => {} });
  const plan = await planWith(model, { ...request, signal });
  const isJson = options.format === 'json';
  if ('nothing' in plan) {
    const sentence = `Nothing to review: ${plan.nothing}.`;
    process.stdout.write(isJson ? printJson({ parts: [], nothing: sentence }) : `${escapeForTerminalLine(sentence)}\n`);
    return EXIT_CODES.inconclusive;
  }
  process.stdout.write(isJson ? printJson({ parts: plannedParts(plan) }) : planText(plan));
  return isRefused(plan) ? EXIT_CODES.usage : EXIT_CODES.lgtm;
};

/** @throws UsageError */
const refuseUnplanned = ({ format, runner }: ReviewOptions): void => {
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--plan: not allowed with --format ${format}; expected text or json`);
  if (runner === 'rules' || runner === 'claude-code')
    throw new UsageError(`--plan: not allowed with --runner ${runner}, whose reviews have no parts`);
};

/** Used where no key is needed. */
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
  // The progress display reads a model's turns from its conversation, so the reviewer need not report them.
  const onProgress = options.verbose === true ? watch.notice : (): void => {};
  const { reviewer, notice } = chooseReviewer(request, { env: process.env, onProgress });
  if (notice !== null) watch.notice(notice);
  follow(reviewer, watch);
  return reviewWith(reviewer, request);
};

/** The Claude Code CLI keeps its own conversation, which is not read. */
const follow = (reviewer: LocalReviewer, watch: ReviewWatch): void => {
  if (reviewer.kind !== 'agent') return;
  const { transcripts } = reviewer.model;
  watch.follow(async () => workOf(await transcripts.load(RUN_ID)));
};
