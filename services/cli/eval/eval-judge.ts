import path from 'node:path';
import type { EvalChangeCase, EvalGolden } from '../../../shared/eval/case.ts';
import {
  isAtPlace,
  isSameByWords,
  type JudgedResult,
  type JudgeKind,
  pairsOf,
  withLabelPaths,
} from '../../../shared/eval/judge.ts';
import { isOpenQuestion } from '../../../shared/eval/model-question.ts';
import type { EvalFinding, EvalReviewed } from '../../../shared/eval/result.ts';
import { agentOf, connectLocalModel, keysIn } from '../review/review-model.ts';
import { ROUNDS } from '../review/review-result.ts';
import type { ModelWish, ModelWishPrice } from '../terminal/model-wish.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { createJudge, type Judge } from './ask-judge.ts';
import { loadRun, saveJudgement, type StoredRun } from './run-folder.ts';

export type EvalJudgeOptions = Omit<ModelWish, 'prices'> & {
  readonly by: JudgeKind;
  readonly price?: readonly ModelWishPrice[];
  readonly answers?: string;
};

const LONGEST_MS = 24 * 3_600_000;

/** `fixpoint eval judge`: stores which findings are which labels. */
export const evalJudge = async (folder: string, options: EvalJudgeOptions): Promise<number> => {
  const stored = await loadRun(folder);
  const { by } = options;
  if (by === 'model') return judgeByModel(folder, stored, options);
  const isSame = by === 'place' ? isAtPlace : sameByWords;
  const results = reviewsOf(stored).map(({ of, result }) => ({
    ...named(result),
    pairs: pairsOf(of.golden, result.findings, isSame),
  }));
  await saveJudgement(folder, { v: 1, by, model: null, results });
  return told(results, by);
};

const sameByWords = (golden: EvalGolden, finding: EvalFinding): boolean =>
  isSameByWords(golden, finding, ROUNDS.duplicateThreshold);

type Reviewed = { readonly of: EvalChangeCase; readonly result: EvalReviewed };

const reviewsOf = ({ cases, results }: StoredRun): readonly Reviewed[] => {
  const known = new Map(cases.map((each) => [each.id, each]));
  return results.flatMap((result) => {
    const of = known.get(result.caseId);
    return of === undefined || of.kind === 'rounds' || result.kind !== 'reviewed'
      ? []
      : [{ of: { ...of, golden: withLabelPaths(of.golden, result) }, result }];
  });
};

const named = ({ caseId, repeat }: EvalReviewed) => ({ caseId, repeat });

const told = (results: readonly JudgedResult[], how: string): number => {
  const pairs = results.reduce((sum, each) => sum + each.pairs.length, 0);
  process.stdout.write(`${results.length} reviews judged by ${how}: ${pairs} pairs of a label and a finding\n`);
  return 0;
};

const judgeByModel = async (
  folder: string,
  stored: StoredRun,
  { price, answers, ...wish }: EvalJudgeOptions,
): Promise<number> => {
  const agent = agentOf({ ...wish, prices: price });
  const { model } = agent.reviewer;
  const judge = await createJudge({
    model,
    answersFile: answers ?? path.join(folder, 'judgements', 'answers.jsonl'),
    connect: () => {
      const keys = keysIn(agent, process.env);
      if (keys.kind === 'missing')
        throw new UsageError(`the environment variable ${keys.variable} is not set; a judge needs this key`);
      return connectLocalModel({ ...wish, prices: price }, { agent, keys, env: process.env, observe: () => {} });
    },
  });
  const results = await untilInterrupted(async (signal) => askAll(judge, reviewsOf(stored), signal), LONGEST_MS);
  await saveJudgement(folder, { v: 1, by: 'model', model, results });
  process.stdout.write(`${judge.asked()} questions asked, ${judge.known()} answers known\n`);
  return told(results, model);
};

const askAll = async (judge: Judge, reviews: readonly Reviewed[], signal: AbortSignal): Promise<JudgedResult[]> => {
  const judged: JudgedResult[] = [];
  for (const { of, result } of reviews) {
    const pairs: JudgedResult['pairs'] = [];
    for (const [golden, label] of of.golden.entries())
      for (const [finding, said] of result.findings.entries())
        if (isOpenQuestion(label, said) && (await judge.ask(label, said, signal))) pairs.push({ golden, finding });
    judged.push({ ...named(result), pairs });
  }
  return judged;
};
