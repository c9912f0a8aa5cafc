/** Two runs beside each other, over the cases that both reviewed. */
import { type EvalScores, scoresOf } from './score.ts';
import type { CaseTally } from './tally.ts';

export type Fall = {
  readonly what: string;
  readonly before: number;
  readonly after: number;
};

export type RunComparison = {
  /** Cases that both runs reviewed, and cases that only one of them reviewed. */
  readonly shared: number;
  readonly left: number;
  readonly before: EvalScores;
  readonly after: EvalScores;
  /** What became worse by more than the threshold. */
  readonly fell: readonly Fall[];
};

type Measure = {
  readonly what: string;
  readonly read: (scores: EvalScores) => number | null;
  /** True if more is better. */
  readonly rises: boolean;
};

const MEASURES: readonly Measure[] = [
  { what: 'precision', read: ({ precision }) => precision.value, rises: true },
  { what: 'recall', read: ({ recall }) => recall.value, rises: true },
  { what: 'F1', read: ({ f1 }) => f1.value, rises: true },
  { what: 'pass rate of clean changes', read: ({ cleanPass }) => cleanPass.value, rises: true },
  { what: 'false-clean rate', read: ({ falseClean }) => falseClean.value, rises: false },
  { what: 'findings without a label per 1,000 lines', read: ({ noise }) => noise.value, rises: false },
  { what: 'share of failed reviews', read: failedShare, rises: false },
];

function failedShare({ failed, reviews }: EvalScores): number | null {
  return failed + reviews === 0 ? null : failed / (failed + reviews);
}

/** A share may change by `maxDrop`, another number by this part of itself. Precision may vanish: no findings, no precision. */
const fallOf = ({ what, read, rises }: Measure, before: EvalScores, after: EvalScores, maxDrop: number): Fall[] => {
  const [was, is] = [read(before), read(after)];
  if (was === null || is === null) return [];
  const worse = rises ? was - is : is - was;
  return worse > maxDrop * Math.max(1, was) ? [{ what, before: was, after: is }] : [];
};

export const compareRuns = (
  before: readonly CaseTally[],
  after: readonly CaseTally[],
  maxDrop: number,
): RunComparison => {
  const [old, now] = [new Set(before.map(({ id }) => id)), new Set(after.map(({ id }) => id))];
  const shared = [...old].filter((id) => now.has(id)).length;
  const scores = {
    before: scoresOf(before.filter(({ id }) => now.has(id))),
    after: scoresOf(after.filter(({ id }) => old.has(id))),
  };
  return {
    shared,
    left: old.size + now.size - 2 * shared,
    ...scores,
    fell: MEASURES.flatMap((measure) => fallOf(measure, scores.before, scores.after, maxDrop)),
  };
};
