/** Scores of change requests with several reviews: quotients of sums, each with its counts and a 95 % interval over the cases. */
import { addSpent, NOTHING_SPENT, type Spent } from '../vocabulary/spent.ts';
import { countRounds, NO_ROUNDS, type RoundCounts, sumRounds } from './count-rounds.ts';
import type { EvalResult, EvalRounds } from './result.ts';
import type { EvalRoundsCase } from './rounds-case.ts';
import { quotient, type Share, shareOf, sum } from './share.ts';

/** One case over all its repeats. */
export type RoundsTally = {
  readonly id: string;
  readonly set: string;
  readonly language: string;
  /** How often all pushes were reviewed, and how often that failed. */
  readonly played: number;
  readonly failed: number;
  /** The sum over all repeats, for the first push, the second, and so on. */
  readonly byReview: readonly RoundCounts[];
  readonly spent: Spent;
};

export const tallyRounds = (of: EvalRoundsCase, results: readonly EvalResult[]): RoundsTally => {
  const played = results.filter((result): result is EvalRounds => result.kind === 'rounds');
  const counts = played.map(({ reviews }) => countRounds(of, reviews));
  return {
    id: of.id,
    set: of.set,
    language: of.language,
    played: played.length,
    failed: results.length - played.length,
    byReview: of.pushes.map((_push, index) => sumRounds(counts.map((each) => each[index] ?? NO_ROUNDS))),
    spent: results.reduce((total: Spent, { spent }) => addSpent(total, spent), NOTHING_SPENT),
  };
};

export type RoundShares = {
  readonly reviews: number;
  readonly inconclusive: number;
  readonly found: Share;
  readonly late: Share;
  /** Of all reviews. */
  readonly repeats: Share;
  readonly wrong: Share;
  readonly closedEarly: Share;
  readonly leftOpen: Share;
  readonly falsePass: Share;
  readonly falseBlock: Share;
};

export type RoundsScores = RoundShares & {
  readonly cases: number;
  readonly played: number;
  readonly failed: number;
  /** The first review of every case, the second, and so on. */
  readonly byReview: readonly RoundShares[];
  readonly cachedShare: number | null;
  readonly spent: Spent;
};

type Counted = keyof RoundCounts;

const sharesOf = (counts: readonly RoundCounts[]): RoundShares => {
  const share = (part: Counted, of: Counted): Share =>
    shareOf(counts, { part: (each) => each[part], of: (each) => each[of] });
  const { reviews, inconclusive } = sumRounds(counts);
  return {
    reviews,
    inconclusive,
    found: share('found', 'defects'),
    late: share('late', 'defects'),
    repeats: share('repeats', 'reviews'),
    wrong: share('wrong', 'reviews'),
    closedEarly: share('closedEarly', 'standing'),
    leftOpen: share('leftOpen', 'due'),
    falsePass: share('falsePass', 'faulty'),
    falseBlock: share('falseBlock', 'sound'),
  };
};

export const roundsScoresOf = (tallies: readonly RoundsTally[]): RoundsScores => {
  const longest = Math.max(0, ...tallies.map(({ byReview }) => byReview.length));
  const spent = tallies.reduce((total: Spent, tally) => addSpent(total, tally.spent), NOTHING_SPENT);
  return {
    cases: tallies.length,
    played: sum(tallies, ({ played }) => played),
    failed: sum(tallies, ({ failed }) => failed),
    ...sharesOf(tallies.map(({ byReview }) => sumRounds(byReview))),
    byReview: Array.from({ length: longest }, (_, index) =>
      sharesOf(tallies.flatMap(({ byReview }) => byReview[index] ?? [])),
    ),
    cachedShare: quotient(spent.cachedTokens, spent.inputTokens),
    spent,
  };
};
