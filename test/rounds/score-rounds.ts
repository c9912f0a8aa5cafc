/** How well a reviewer did over the pushes of a change request, from what it showed after each of them. Pure. */
import type { Verdict } from '../../shared/vocabulary/finding.ts';
import type { RoundCase } from './round-case.ts';

/** `id` stays the same over all reviews. `line` is where the thread is now. */
export type SeenThread = {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly isOpen: boolean;
};

/** All threads so far, as they are after the review of one push. */
export type SeenReview = { readonly verdict: Verdict; readonly threads: readonly SeenThread[] };

export type RoundScores = {
  readonly reviews: number;
  /** Defects, counted again if they come back. */
  readonly defects: number;
  /** With an open thread after the push that brought them, or only after a later one. */
  readonly found: number;
  readonly late: number;
  /** Further threads about a defect that has an open one. */
  readonly repeats: number;
  /** Threads about no defect. */
  readonly wrong: number;
  /** Reviews after which the thread of a present defect was no longer open. */
  readonly closedEarly: number;
  /** Reviews after which the thread of a fixed defect was still open. */
  readonly leftOpen: number;
  /** Verdicts that say `lgtm` with a defect, or `feedback` without one. */
  readonly falsePass: number;
  readonly falseBlock: number;
};

export const NO_ROUNDS: RoundScores = {
  reviews: 0,
  defects: 0,
  found: 0,
  late: 0,
  repeats: 0,
  wrong: 0,
  closedEarly: 0,
  leftOpen: 0,
  falsePass: 0,
  falseBlock: 0,
};

export const addRounds = (one: RoundScores, other: RoundScores): RoundScores => ({
  reviews: one.reviews + other.reviews,
  defects: one.defects + other.defects,
  found: one.found + other.found,
  late: one.late + other.late,
  repeats: one.repeats + other.repeats,
  wrong: one.wrong + other.wrong,
  closedEarly: one.closedEarly + other.closedEarly,
  leftOpen: one.leftOpen + other.leftOpen,
  falsePass: one.falsePass + other.falsePass,
  falseBlock: one.falseBlock + other.falseBlock,
});

/** Lines that a thread may be away from its defect when it is opened. */
const NEAR = 5;

type Truth = RoundCase['pushes'][number]['open'][number];

const defectAt = (open: readonly Truth[], { path, line }: SeenThread): string | null => {
  const near = open
    .filter((each) => each.path === path && Math.abs(each.line - line) <= NEAR)
    .toSorted((one, other) => Math.abs(one.line - line) - Math.abs(other.line - line));
  return near[0]?.id ?? null;
};

type Scoring = {
  /** The defect of each thread, as it was opened; null if it is about none. */
  readonly about: Map<string, string | null>;
  /** For each defect of the previous push, whether it was found by then. */
  known: ReadonlyMap<string, boolean>;
  wereOpen: ReadonlySet<string>;
};

const openFor = ({ about }: Scoring, threads: readonly SeenThread[]): ReadonlySet<string> =>
  new Set(threads.flatMap(({ id, isOpen }) => (isOpen ? (about.get(id) ?? []) : [])));

const newThreads = (scoring: Scoring, { threads }: SeenReview, open: readonly Truth[]) => {
  let [repeats, wrong] = [0, 0];
  const having = new Set(scoring.wereOpen);
  for (const thread of threads.filter(({ id }) => !scoring.about.has(id))) {
    const defect = defectAt(open, thread);
    scoring.about.set(thread.id, defect);
    if (defect === null) wrong += 1;
    else if (having.has(defect)) repeats += 1;
    else having.add(defect);
  }
  return { repeats, wrong };
};

const scoreReview = (scoring: Scoring, review: SeenReview, open: readonly Truth[]): RoundScores => {
  const { repeats, wrong } = newThreads(scoring, review, open);
  const present = new Set(open.map(({ id }) => id));
  const nowOpen = openFor(scoring, review.threads);
  const fresh = [...present].filter((id) => !scoring.known.has(id));
  const late = [...present].filter((id) => scoring.known.get(id) === false && nowOpen.has(id));
  const scores = {
    reviews: 1,
    defects: fresh.length,
    found: fresh.filter((id) => nowOpen.has(id)).length,
    late: late.length,
    repeats,
    wrong,
    closedEarly: [...present].filter((id) => scoring.known.get(id) === true && !nowOpen.has(id)).length,
    leftOpen: [...nowOpen].filter((id) => !present.has(id)).length,
    falsePass: review.verdict === 'lgtm' && present.size > 0 ? 1 : 0,
    falseBlock: review.verdict === 'feedback' && present.size === 0 ? 1 : 0,
  };
  scoring.known = new Map([...present].map((id) => [id, scoring.known.get(id) === true || nowOpen.has(id)]));
  scoring.wereOpen = nowOpen;
  return scores;
};

/** @throws Error if there is not one review for each push */
export const scoreRounds = ({ id, pushes }: RoundCase, reviews: readonly SeenReview[]): RoundScores => {
  if (reviews.length !== pushes.length) throw new Error(`${id} has ${pushes.length} pushes, not ${reviews.length}`);
  const scoring: Scoring = { about: new Map(), known: new Map(), wereOpen: new Set() };
  return reviews.reduce(
    (sum, review, index) => addRounds(sum, scoreReview(scoring, review, pushes[index]?.open ?? [])),
    NO_ROUNDS,
  );
};
