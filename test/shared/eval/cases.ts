/** Cases, results and findings for tests about evaluation. */
import { EvalChangeCase } from '../../../shared/eval/case.ts';
import type { EvalJudgement, JudgedResult, JudgeKind } from '../../../shared/eval/judge.ts';
import type {
  EvalFinding,
  EvalReviewed,
  EvalRounds,
  EvalRun,
  SeenReview,
  SeenThread,
} from '../../../shared/eval/result.ts';
import { EvalRoundsCase } from '../../../shared/eval/rounds-case.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';

const FILES = { kind: 'files', files: [{ path: 'src/a.ts', before: 'a();\n', after: 'b();\n' }] };

export const LABEL = { path: 'src/a.ts', from: 10, text: 'The loop reads one element too many.', severity: 'P1' };

/** A case with one label at line 10 of `src/a.ts`. */
export const evalCase = (changes: Readonly<Record<string, unknown>> = {}): EvalChangeCase =>
  EvalChangeCase.parse({
    id: 'one',
    set: 'own',
    licence: 'own',
    kind: 'defect',
    language: 'TypeScript',
    change: FILES,
    golden: [LABEL],
    ...changes,
  });

export const cleanCase = (id = 'clean'): EvalChangeCase => evalCase({ id, kind: 'clean', golden: [] });

/** Two pushes to `src/a.ts`: the first one brings a defect at line 2, the second one fixes it. */
export const roundsCase = (changes: Readonly<Record<string, unknown>> = {}): EvalRoundsCase =>
  EvalRoundsCase.parse({
    id: 'pushes',
    set: 'own',
    licence: 'own',
    kind: 'rounds',
    language: 'TypeScript',
    defects: { a: { severity: 'P1', text: 'The loop reads one element too many.' } },
    pushes: [
      { files: [{ path: 'src/a.ts', text: 'a();\nb();\n' }], open: [{ id: 'a', path: 'src/a.ts', line: 2 }] },
      { files: [{ path: 'src/a.ts', text: 'a();\nc();\n' }], open: [] },
    ],
    ...changes,
  });

export const seenThread = (changes: Partial<SeenThread> = {}): SeenThread => ({
  id: 'F-001 x',
  path: 'src/a.ts',
  line: 2,
  isOpen: true,
  severity: 'P1',
  title: 'The loop reads past the end of the array',
  ...changes,
});

export const played = (reviews: readonly SeenReview[], changes: Partial<EvalRounds> = {}): EvalRounds => ({
  kind: 'rounds',
  caseId: 'pushes',
  repeat: 1,
  reviews: [...reviews],
  spent: NOTHING_SPENT,
  ...changes,
});

export const finding = (changes: Partial<EvalFinding> = {}): EvalFinding => ({
  path: 'src/a.ts',
  side: 'new',
  startLine: 10,
  line: 10,
  severity: 'P1',
  title: 'The loop reads past the end of the array',
  body: 'The condition is true for one element too many.',
  evidence: 'for (let i = 0; i <= list.length; i++)',
  rule: null,
  ...changes,
});

export const reviewed = (changes: Partial<EvalReviewed> = {}): EvalReviewed => ({
  kind: 'reviewed',
  caseId: 'one',
  repeat: 1,
  verdict: 'feedback',
  findings: [],
  changedLines: 100,
  labelPaths: {},
  notes: [],
  spent: NOTHING_SPENT,
  ...changes,
});

export const RUN: EvalRun = { v: 1, version: '0.1.0', runner: 'rules', model: null, repeat: 1, cases: 'a'.repeat(64) };

export const judgement = (results: readonly JudgedResult[], by: JudgeKind = 'place'): EvalJudgement => ({
  v: 1,
  by,
  model: null,
  results: [...results],
});
