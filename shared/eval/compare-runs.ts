/** Two runs beside each other, over the cases that both reviewed. */
import { type EvalScores, scoresOf } from './score.ts';
import { type RoundsScores, roundsScoresOf, type RoundsTally } from './score-rounds.ts';
import type { Share } from './share.ts';
import type { CaseTally } from './tally.ts';

export type Fall = {
  readonly what: string;
  readonly before: number;
  readonly after: number;
};

/** `single`: changes that are reviewed once. `rounds`: change requests with several reviews. */
export type RunTallies = { readonly single: readonly CaseTally[]; readonly rounds: readonly RoundsTally[] };

export type RunScores = { readonly single: EvalScores; readonly rounds: RoundsScores };

export type RunComparison = {
  /** Cases that both runs reviewed, and cases that only one of them reviewed. */
  readonly shared: number;
  readonly left: number;
  readonly before: RunScores;
  readonly after: RunScores;
  /** What became worse by more than the threshold. */
  readonly fell: readonly Fall[];
};

type Measure = {
  readonly what: string;
  readonly read: (scores: RunScores) => number | null;
  /** True if more is better. */
  readonly rises: boolean;
};

const ofRounds = (what: string, share: (scores: RoundsScores) => Share, rises = false): Measure => ({
  what: `over several reviews: ${what}`,
  read: ({ rounds }) => share(rounds).value,
  rises,
});

const MEASURES: readonly Measure[] = [
  { what: 'precision', read: ({ single }) => single.precision.value, rises: true },
  { what: 'recall', read: ({ single }) => single.recall.value, rises: true },
  { what: 'F1', read: ({ single }) => single.f1.value, rises: true },
  { what: 'pass rate of clean changes', read: ({ single }) => single.cleanPass.value, rises: true },
  { what: 'false-clean rate', read: ({ single }) => single.falseClean.value, rises: false },
  { what: 'findings without a label per 1,000 lines', read: ({ single }) => single.noise.value, rises: false },
  ofRounds('defects found at once', ({ found }) => found, true),
  ofRounds('repeats', ({ repeats }) => repeats),
  ofRounds('threads about no defect', ({ wrong }) => wrong),
  ofRounds('wrongly resolved', ({ closedEarly }) => closedEarly),
  ofRounds('missed resolutions', ({ leftOpen }) => leftOpen),
  ofRounds('passed with a defect', ({ falsePass }) => falsePass),
  ofRounds('blocked without a defect', ({ falseBlock }) => falseBlock),
  { what: 'share of failed reviews', read: failedShare, rises: false },
];

function failedShare({ single, rounds }: RunScores): number | null {
  const failed = single.failed + rounds.failed;
  const all = failed + single.reviews + rounds.played;
  return all === 0 ? null : failed / all;
}

/** A share may change by `maxDrop`, another number by this part of itself. Precision may vanish: no findings, no precision. */
const fallOf = ({ what, read, rises }: Measure, before: RunScores, after: RunScores, maxDrop: number): Fall[] => {
  const [was, is] = [read(before), read(after)];
  if (was === null || is === null) return [];
  const worse = rises ? was - is : is - was;
  return worse > maxDrop * Math.max(1, was) ? [{ what, before: was, after: is }] : [];
};

const idsOf = ({ single, rounds }: RunTallies): ReadonlySet<string> =>
  new Set([...single, ...rounds].map(({ id }) => id));

const scoresOfBoth = ({ single, rounds }: RunTallies, others: ReadonlySet<string>): RunScores => ({
  single: scoresOf(single.filter(({ id }) => others.has(id))),
  rounds: roundsScoresOf(rounds.filter(({ id }) => others.has(id))),
});

export const compareRuns = (before: RunTallies, after: RunTallies, maxDrop: number): RunComparison => {
  const [old, now] = [idsOf(before), idsOf(after)];
  const shared = [...old].filter((id) => now.has(id)).length;
  const scores = { before: scoresOfBoth(before, now), after: scoresOfBoth(after, old) };
  return {
    shared,
    left: old.size + now.size - 2 * shared,
    ...scores,
    fell: MEASURES.flatMap((measure) => fallOf(measure, scores.before, scores.after, maxDrop)),
  };
};
