/** Counts of one case over all its repeats. Scores are quotients of sums of these counts. */
import type { Severity } from '../vocabulary/finding.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../vocabulary/spent.ts';
import { assign } from './assign.ts';
import type { EvalChangeCase } from './case.ts';
import { isJudgeable, type JudgedResult, type JudgeKind } from './judge.ts';
import type { EvalResult, EvalReviewed } from './result.ts';

/** `labels` and `found`: labels that the judge can decide about, and those that a finding matches. `right`: findings that match one. */
export type Hits = {
  readonly labels: number;
  readonly found: number;
  readonly findings: number;
  readonly right: number;
};

export type CaseTally = Hits & {
  readonly id: string;
  readonly set: string;
  readonly language: string;
  readonly bySeverity: Readonly<Record<Severity, Hits>>;
  readonly reviews: number;
  readonly failed: number;
  readonly changedLines: number;
  readonly inconclusive: number;
  /** Reviews of a change with a defect, and how many of these said `lgtm` although not every label was found. */
  readonly ofDefects: number;
  readonly falseClean: number;
  /** Reviews of a clean change, and how many of these said `lgtm`. */
  readonly ofClean: number;
  readonly passed: number;
  /** Labels that the judge cannot decide about. */
  readonly unjudged: number;
  readonly spent: Spent;
};

const NO_HITS: Hits = { labels: 0, found: 0, findings: 0, right: 0 };

const add = (one: Hits, other: Hits): Hits => ({
  labels: one.labels + other.labels,
  found: one.found + other.found,
  findings: one.findings + other.findings,
  right: one.right + other.right,
});

export type Judging = {
  readonly case: EvalChangeCase;
  readonly by: JudgeKind;
  readonly results: readonly EvalResult[];
  /** By the number of the repeat. */
  readonly pairs: ReadonlyMap<number, JudgedResult['pairs']>;
};

type Review = {
  readonly hits: Hits;
  readonly bySeverity: Readonly<Record<Severity, Hits>>;
  readonly result: EvalReviewed;
};

const countReview = ({ case: { golden }, by, pairs }: Judging, result: EvalReviewed): Review => {
  const judgeable = golden.map((label) => isJudgeable(label, by));
  const assigned = assign((pairs.get(result.repeat) ?? []).filter((pair) => judgeable[pair.golden] === true));
  const found = new Set(assigned.map((pair) => pair.golden));
  const right = new Set(assigned.map((pair) => pair.finding));
  const hitsOf = (isCounted: (severity: Severity) => boolean): Hits => {
    const labels = [...golden.keys()].filter((at) => judgeable[at] === true && isCounted(golden[at]?.severity ?? 'P3'));
    const findings = [...result.findings.keys()].filter((at) => isCounted(result.findings[at]?.severity ?? 'P3'));
    return {
      labels: labels.length,
      found: labels.filter((at) => found.has(at)).length,
      findings: findings.length,
      right: findings.filter((at) => right.has(at)).length,
    };
  };
  return {
    hits: hitsOf(() => true),
    bySeverity: perSeverity((severity) => hitsOf((each) => each === severity)),
    result,
  };
};

export const perSeverity = <Value>(of: (severity: Severity) => Value): Readonly<Record<Severity, Value>> => ({
  P0: of('P0'),
  P1: of('P1'),
  P2: of('P2'),
  P3: of('P3'),
});

export const tallyCase = (judging: Judging): CaseTally => {
  const { case: of, results } = judging;
  const reviewed = results.filter((result): result is EvalReviewed => result.kind === 'reviewed');
  const reviews = reviewed.map((result) => countReview(judging, result));
  const count = (holds: (review: Review) => boolean): number => reviews.filter(holds).length;
  const isDefect = of.kind === 'defect';
  const passed = ({ result }: Review): boolean => result.verdict === 'lgtm';
  return {
    id: of.id,
    set: of.set,
    language: of.language,
    ...reviews.reduce((sum, { hits }) => add(sum, hits), NO_HITS),
    bySeverity: perSeverity((severity) => reviews.reduce((sum, each) => add(sum, each.bySeverity[severity]), NO_HITS)),
    reviews: reviews.length,
    failed: results.length - reviews.length,
    changedLines: reviewed.reduce((sum, { changedLines }) => sum + changedLines, 0),
    inconclusive: count(({ result }) => result.verdict === 'inconclusive'),
    ofDefects: isDefect ? reviews.length : 0,
    falseClean: isDefect ? count((review) => passed(review) && review.hits.found < of.golden.length) : 0,
    ofClean: isDefect ? 0 : reviews.length,
    passed: isDefect ? 0 : count(passed),
    unjudged: reviews.length * of.golden.filter((label) => !isJudgeable(label, judging.by)).length,
    spent: results.reduce((sum, { spent }) => addSpent(sum, spent), NOTHING_SPENT),
  };
};
