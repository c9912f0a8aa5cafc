import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Model } from '../../../shared/agent/model/model.ts';
import type { EvalCase } from '../../../shared/eval/case.ts';
import type { EvalResult } from '../../../shared/eval/result.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import { findGit } from '../../../shared/workspace/git/git.ts';
import { removeFolder } from '../../../shared/workspace/process/remove-folder.ts';
import { chooseReviewer, type LocalRunnerChoice } from '../review/choose-runner.ts';
import type { LocalReviewer } from '../review/local-runners.ts';
import type { ModelWishPrice } from '../terminal/model-wish.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { VERSION } from '../../../shared/version.ts';
import type { BuildPlace } from './build/build-change.ts';
import { createCaseReviewers, LEAST_USD, REVIEW_BUDGET_USD } from './case-reviewers.ts';
import { createRecordedAnswers } from './recorded-answers.ts';
import { refuseUnlessReplayable, replayedReviewer } from './replayed-reviewer.ts';
import { RAN_OUT, reviewCase } from './review-case.ts';
import {
  beginRun,
  hashOfCases,
  loadEvalResult,
  loadRunFacts,
  loadTranscripts,
  readCaseFile,
  saveEvalResult,
  saveTranscripts,
} from './run-folder.ts';

export type EvalRunOptions = Omit<LocalRunnerChoice, 'prices'> & {
  readonly price?: readonly ModelWishPrice[];
  readonly out: string;
  readonly repeat: number;
  readonly retryFailed?: boolean;
  readonly repositories?: string;
  readonly config?: string;
  /** The folder of an earlier run, whose conversations answer instead of a model. */
  readonly replay?: string;
};

const LONGEST_MS = 7 * 24 * 3_600_000;
const DEFAULT_BUDGET_USD = 20;

/** `fixpoint eval run`: 0 every review has a result, 1 some failed or were not paid for. */
export const evalRun = async (file: string, options: EvalRunOptions): Promise<number> => {
  const cases = await readCaseFile(file);
  const replayed = await replayedModel(options);
  return runCases(file, cases, { ...options, ...replayed });
};

/** The model of the run that is replayed, unless the options name one. @throws UsageError */
const replayedModel = async ({
  replay,
  model,
  provider,
  runner,
}: EvalRunOptions): Promise<{ readonly model?: string }> => {
  if (replay === undefined) return {};
  const run = await loadRunFacts(replay);
  refuseUnlessReplayable(replay, run, { runner });
  return model !== undefined || provider !== undefined || run.model === null ? {} : { model: run.model };
};

const runCases = async (file: string, cases: readonly EvalCase[], options: EvalRunOptions): Promise<number> => {
  const first = reviewerWith(
    options,
    REVIEW_BUDGET_USD,
    options.replay === undefined ? null : createRecordedAnswers([]),
  );
  const run = { v: 1, version: VERSION, runner: first.kind, model: modelOf(first), repeat: options.repeat } as const;
  await beginRun(options.out, { ...run, cases: hashOfCases(cases) }, cases);
  const scratchFolder = await mkdtemp(path.join(tmpdir(), 'fixpoint-eval-'));
  try {
    const place = placeOf(file, scratchFolder, options);
    const ended = await untilInterrupted(async (signal) => reviewAll({ cases, options, place }, signal), LONGEST_MS);
    process.stdout.write(`${summaryOf(ended, options.out)}\n`);
    return ended.failed > 0 || ended.unpaid > 0 ? 1 : 0;
  } finally {
    await removeFolder(scratchFolder);
  }
};

const tell = (line: string): void => void process.stderr.write(`fixpoint: ${escapeForTerminalLine(line)}\n`);

/** `answers`: null unless a run is replayed. */
const reviewerWith = (
  { price, replay: _replay, ...given }: EvalRunOptions,
  budgetUsd: number,
  answers: Model | null,
): LocalReviewer => {
  const wish = { ...given, prices: price, budgetUsd };
  if (answers !== null) return replayedReviewer({ wish, answers });
  const { reviewer, notice } = chooseReviewer(wish, { env: process.env, onProgress: () => {} });
  if (notice !== null) throw new UsageError(`${notice}; for that, give --runner rules`);
  return reviewer;
};

const modelOf = (reviewer: LocalReviewer): string | null =>
  reviewer.kind === 'rules' ? null : reviewer.model.agent.reviewer.model;

const placeOf = (file: string, scratchFolder: string, { out, repositories }: EvalRunOptions): BuildPlace => ({
  scratchFolder,
  repositories: repositories ?? null,
  fetchedFolder: path.join(out, 'repositories'),
  casesFolder: path.dirname(path.resolve(file)),
  gitPath: findGit(process.env['PATH'] ?? ''),
  env: process.env,
});

type Running = {
  readonly cases: readonly EvalCase[];
  readonly options: EvalRunOptions;
  readonly place: BuildPlace;
};

type Ended = {
  readonly done: number;
  readonly known: number;
  readonly failed: number;
  readonly unpaid: number;
  readonly costUsd: number;
};

/** `before`: what earlier reviews of this case cost that gave no result. */
type Waiting = { readonly each: EvalCase; readonly repeat: number; readonly before: Spent };

/** All first reviews before all second ones, so that a budget that ends early has seen every case. */
const findWaiting = async ({ cases, options }: Running) => {
  const repeats = Array.from({ length: options.repeat }, (_, index) => index + 1);
  let ended: Ended = { done: 0, known: 0, failed: 0, unpaid: 0, costUsd: 0 };
  const waiting: Waiting[] = [];
  for (const { each, repeat } of repeats.flatMap((repeat) => cases.map((each) => ({ each, repeat })))) {
    const stored = await loadEvalResult(options.out, { caseId: each.id, repeat });
    if (stored !== null && !isDoneAgain(stored, options)) {
      ended = counted({ ...ended, known: ended.known + 1 }, stored);
      continue;
    }
    const before = stored?.spent ?? NOTHING_SPENT;
    waiting.push({ each, repeat, before });
    ended = { ...ended, costUsd: ended.costUsd + before.costUsd };
  }
  return { waiting, ended };
};

const hasRunOut = (result: EvalResult): boolean => result.kind === 'failed' && result.code === RAN_OUT;

const isDoneAgain = (stored: EvalResult, { retryFailed }: EvalRunOptions): boolean =>
  hasRunOut(stored) || (stored.kind === 'failed' && retryFailed === true);

const reviewAll = async (running: Running, signal: AbortSignal): Promise<Ended> => {
  const { budgetUsd = DEFAULT_BUDGET_USD } = running.options;
  const { waiting, ended: known } = await findWaiting(running);
  let ended = known;
  for (const [index, wanted] of waiting.entries()) {
    const result = await reviewWanted(running, { ...wanted, leftUsd: budgetUsd - ended.costUsd }, signal);
    if (result === null) return { ...ended, unpaid: waiting.length - index };
    tell(`[${index + 1}/${waiting.length}] ${wanted.each.id}: ${wordsOf(result)}`);
    const { costUsd } = wanted.before;
    const sum = ended.costUsd - costUsd + result.spent.costUsd;
    if (hasRunOut(result)) return { ...ended, costUsd: sum, unpaid: waiting.length - index };
    ended = counted({ ...ended, done: ended.done + 1, costUsd: ended.costUsd - costUsd }, result);
  }
  return ended;
};

const reviewWanted = async (
  { options, place }: Running,
  { each, repeat, before, leftUsd }: Waiting & { readonly leftUsd: number },
  signal: AbortSignal,
): Promise<EvalResult | null> => {
  if (leftUsd < LEAST_USD) return null;
  const { out, config: configPath } = options;
  const { replay } = options;
  const answers =
    replay === undefined ? null : createRecordedAnswers(await loadTranscripts(replay, { caseId: each.id, repeat }));
  const reviewers = createCaseReviewers({
    leftUsd,
    reviewerWith: (budgetUsd) => reviewerWith(options, budgetUsd, answers),
  });
  const found = await reviewCase({ case: each, repeat, reviewers, place, configPath, onNotice: tell }, signal);
  const result = { ...found, spent: addSpent(before, found.spent) };
  await saveTranscripts(out, result, reviewers.transcripts());
  await saveEvalResult(out, result);
  return result;
};

const counted = (ended: Ended, result: EvalResult): Ended => ({
  ...ended,
  failed: ended.failed + (result.kind === 'failed' ? 1 : 0),
  costUsd: ended.costUsd + result.spent.costUsd,
});

const wordsOf = (result: EvalResult): string => {
  switch (result.kind) {
    case 'failed':
      return `failed: ${result.message} (${result.code})`;
    case 'reviewed':
      return `${result.verdict}, ${result.findings.length} finding${result.findings.length === 1 ? '' : 's'}`;
    case 'rounds':
      return result.reviews.map(({ verdict }) => verdict).join(', then ');
    default:
      return result satisfies never;
  }
};

const summaryOf = ({ done, known, failed, unpaid, costUsd }: Ended, out: string): string =>
  [
    `${done} review${done === 1 ? '' : 's'} done`,
    ...(known === 0 ? [] : [`${known} known from before`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(unpaid === 0 ? [] : [`${unpaid} not done, because the budget is used up`]),
    `$${costUsd.toFixed(2)} in total; results in ${out}`,
  ].join(', ');
