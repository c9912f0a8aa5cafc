/** The committed sets of our own, reviewed in this process and judged by place. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCaseReviewers } from '../../../../services/cli/eval/case-reviewers.ts';
import { reviewCase } from '../../../../services/cli/eval/review-case.ts';
import { readCaseFolder } from '../../../../services/cli/eval/sets/read-case-folder.ts';
import type { LocalReviewer } from '../../../../services/cli/review/local-runners.ts';
import type { EvalCase, EvalChangeCase } from '../../../../shared/eval/case.ts';
import type { EvalRoundsCase } from '../../../../shared/eval/rounds-case.ts';
import { isAtPlace, pairsOf, withLabelPaths } from '../../../../shared/eval/judge.ts';
import type { Evaluated } from '../../../../shared/eval/report.ts';
import type { EvalResult } from '../../../../shared/eval/result.ts';
import { judgement, RUN } from '../../../shared/eval/cases.ts';
import { GIT, never } from '../../../shared/workspace/repository.ts';
import { PROJECT_ROOT } from '../../../support/tracked-files.ts';
import { WITHOUT_CAGE } from '../model-world.ts';

export const EVAL_FIXTURES = join(PROJECT_ROOT, 'test/fixtures/eval');

export const ownCases = async (): Promise<readonly EvalChangeCase[]> =>
  (await readCaseFolder(join(EVAL_FIXTURES, 'own'))).cases.filter((each) => each.kind !== 'rounds');

export const roundCases = async (): Promise<readonly EvalRoundsCase[]> =>
  (await readCaseFolder(join(PROJECT_ROOT, 'test/fixtures/rounds'))).cases.filter((each) => each.kind === 'rounds');

type Evaluating = {
  readonly folder: string;
  /** A new reviewer for each review. */
  readonly reviewerOf: () => LocalReviewer;
  /** Clones; none if absent. */
  readonly repositories?: string | null;
};

export const evaluateCases = async (
  cases: readonly EvalCase[],
  { folder, reviewerOf, repositories = null }: Evaluating,
): Promise<Evaluated> => {
  const [scratchFolder, fetchedFolder] = [join(folder, 'scratch'), join(folder, 'fetched')];
  mkdirSync(scratchFolder, { recursive: true });
  const place = { scratchFolder, fetchedFolder, repositories, casesFolder: folder, gitPath: GIT, env: process.env };
  const results: EvalResult[] = [];
  for (const each of cases) {
    const reviewers = createCaseReviewers({ leftUsd: 20, reviewerWith: reviewerOf });
    const review = { case: each, repeat: 1, reviewers, place, configPath: WITHOUT_CAGE };
    results.push(await reviewCase({ ...review, onNotice: () => {} }, never()));
  }
  const judged = cases.flatMap((each, index) => {
    const result = results[index];
    if (result?.kind !== 'reviewed' || each.kind === 'rounds') return [];
    const golden = withLabelPaths(each.golden, result);
    return [{ caseId: each.id, repeat: 1, pairs: pairsOf(golden, result.findings, isAtPlace) }];
  });
  return { run: RUN, cases, results, judgement: judgement(judged) };
};
