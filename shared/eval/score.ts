/** Scores of some cases: quotients of sums, each with its counts and a 95 % interval over the cases. */
import type { Severity } from '../vocabulary/finding.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../vocabulary/spent.ts';
import { bootstrap, type Interval } from './bootstrap.ts';
import { quotient, type Share, shareOf, sum } from './share.ts';
import type { CaseTally, Hits } from './tally.ts';

export type HitScores = {
  readonly precision: Share;
  readonly recall: Share;
  readonly f1: { readonly value: number | null; readonly interval: Interval | null };
};

export type EvalScores = HitScores & {
  readonly cases: number;
  readonly reviews: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly unjudged: number;
  /** Findings that match no label, per 1,000 changed lines. */
  readonly noise: Share;
  readonly falseClean: Share;
  readonly cleanPass: Share;
  readonly cachedShare: number | null;
  readonly spent: Spent;
};

/** Twice the matches over labels and findings, which is the harmonic mean of precision and recall. */
const f1Of = (tallies: readonly CaseTally[], hits: (tally: CaseTally) => Hits): HitScores['f1'] => {
  const measure = (sample: readonly CaseTally[]): number | null => {
    const matched = sum(sample, (tally) => hits(tally).found) + sum(sample, (tally) => hits(tally).right);
    return quotient(
      matched,
      sum(sample, (tally) => hits(tally).labels + hits(tally).findings),
    );
  };
  return { value: measure(tallies), interval: bootstrap(tallies, measure) };
};

const hitScores = (tallies: readonly CaseTally[], hits: (tally: CaseTally) => Hits): HitScores => ({
  precision: shareOf(tallies, { part: (tally) => hits(tally).right, of: (tally) => hits(tally).findings }),
  recall: shareOf(tallies, { part: (tally) => hits(tally).found, of: (tally) => hits(tally).labels }),
  f1: f1Of(tallies, hits),
});

export const severityScores = (tallies: readonly CaseTally[], severity: Severity): HitScores =>
  hitScores(tallies, ({ bySeverity }) => bySeverity[severity]);

export const scoresOf = (tallies: readonly CaseTally[]): EvalScores => {
  const spent = tallies.reduce((total: Spent, tally) => addSpent(total, tally.spent), NOTHING_SPENT);
  return {
    cases: tallies.length,
    reviews: sum(tallies, ({ reviews }) => reviews),
    failed: sum(tallies, ({ failed }) => failed),
    inconclusive: sum(tallies, ({ inconclusive }) => inconclusive),
    unjudged: sum(tallies, ({ unjudged }) => unjudged),
    ...hitScores(tallies, (tally) => tally),
    noise: shareOf(tallies, {
      part: ({ findings, right }) => findings - right,
      of: ({ changedLines }) => changedLines,
      per: 1_000,
    }),
    falseClean: shareOf(tallies, { part: ({ falseClean }) => falseClean, of: ({ ofDefects }) => ofDefects }),
    cleanPass: shareOf(tallies, { part: ({ passed }) => passed, of: ({ ofClean }) => ofClean }),
    cachedShare: quotient(spent.cachedTokens, spent.inputTokens),
    spent,
  };
};
