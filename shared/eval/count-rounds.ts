/** Compares what a reviewer showed after each push of a change request with what was true then. Counts each review. */
import type { EvalRoundsCase, OpenDefect } from './rounds-case.ts';
import type { SeenReview, SeenThread } from './result.ts';

export type RoundCounts = {
  readonly reviews: number;
  readonly inconclusive: number;
  /** Defects that the push brought. A defect that comes back counts again. */
  readonly defects: number;
  /** Defects with an open thread after the push that brought them, and after a later push for the first time. */
  readonly found: number;
  readonly late: number;
  /** New threads about a defect that had an open one. */
  readonly repeats: number;
  /** New threads about no defect. */
  readonly wrong: number;
  /** Defects that were found before and are still in the code, and how many of them have no open thread any more. */
  readonly standing: number;
  readonly closedEarly: number;
  /** Fixed defects whose thread was open before the review, and how many of these threads still are. */
  readonly due: number;
  readonly leftOpen: number;
  /** Reviews with a defect in the code, and how many of them said `lgtm`. */
  readonly faulty: number;
  readonly falsePass: number;
  /** Reviews without a defect in the code, and how many of them said `feedback`. */
  readonly sound: number;
  readonly falseBlock: number;
};

export const NO_ROUNDS: RoundCounts = {
  reviews: 0,
  inconclusive: 0,
  defects: 0,
  found: 0,
  late: 0,
  repeats: 0,
  wrong: 0,
  standing: 0,
  closedEarly: 0,
  due: 0,
  leftOpen: 0,
  faulty: 0,
  falsePass: 0,
  sound: 0,
  falseBlock: 0,
};

export const addRounds = (one: RoundCounts, other: RoundCounts): RoundCounts => ({
  reviews: one.reviews + other.reviews,
  inconclusive: one.inconclusive + other.inconclusive,
  defects: one.defects + other.defects,
  found: one.found + other.found,
  late: one.late + other.late,
  repeats: one.repeats + other.repeats,
  wrong: one.wrong + other.wrong,
  standing: one.standing + other.standing,
  closedEarly: one.closedEarly + other.closedEarly,
  due: one.due + other.due,
  leftOpen: one.leftOpen + other.leftOpen,
  faulty: one.faulty + other.faulty,
  falsePass: one.falsePass + other.falsePass,
  sound: one.sound + other.sound,
  falseBlock: one.falseBlock + other.falseBlock,
});

export const sumRounds = (counts: readonly RoundCounts[]): RoundCounts => counts.reduce(addRounds, NO_ROUNDS);

/** Lines that a thread may be away from its defect when it is opened. */
const NEAR = 5;

/** The nearest defect of the file. A defect that has no thread yet comes first, so that two defects close together get one each. */
const defectAt = (
  open: readonly OpenDefect[],
  { path, line }: SeenThread,
  taken: ReadonlySet<string>,
): string | null => {
  const away = (each: OpenDefect): number => Math.abs(each.line - line);
  const near = open
    .filter((each) => each.path === path && away(each) <= NEAR)
    .toSorted((one, other) => away(one) - away(other) || Number(taken.has(one.id)) - Number(taken.has(other.id)));
  return near[0]?.id ?? null;
};

type Counting = {
  /** The defect of each thread, as it was opened; null if it is about none. */
  readonly about: Map<string, string | null>;
  /** For each defect of the previous push, whether it was found by then. */
  known: ReadonlyMap<string, boolean>;
  wereOpen: ReadonlySet<string>;
};

const openFor = ({ about }: Counting, threads: readonly SeenThread[]): ReadonlySet<string> =>
  new Set(threads.flatMap(({ id, isOpen }) => (isOpen ? (about.get(id) ?? []) : [])));

const countNew = (counting: Counting, { threads }: SeenReview, open: readonly OpenDefect[]) => {
  let [repeats, wrong] = [0, 0];
  const having = new Set(counting.wereOpen);
  for (const thread of threads.filter(({ id }) => !counting.about.has(id))) {
    const defect = defectAt(open, thread, having);
    counting.about.set(thread.id, defect);
    if (defect === null) wrong += 1;
    else if (having.has(defect)) repeats += 1;
    else having.add(defect);
  }
  return { repeats, wrong };
};

const countReview = (counting: Counting, review: SeenReview, open: readonly OpenDefect[]): RoundCounts => {
  const { known, wereOpen } = counting;
  const { repeats, wrong } = countNew(counting, review, open);
  const present = new Set(open.map(({ id }) => id));
  const nowOpen = openFor(counting, review.threads);
  const fresh = [...present].filter((id) => !known.has(id));
  const standing = [...present].filter((id) => known.get(id) === true);
  const due = [...wereOpen].filter((id) => !present.has(id));
  const [isFaulty, { verdict }] = [present.size > 0, review];
  counting.known = new Map([...present].map((id) => [id, known.get(id) === true || nowOpen.has(id)]));
  counting.wereOpen = nowOpen;
  return {
    reviews: 1,
    inconclusive: verdict === 'inconclusive' ? 1 : 0,
    defects: fresh.length,
    found: fresh.filter((id) => nowOpen.has(id)).length,
    late: [...present].filter((id) => known.get(id) === false && nowOpen.has(id)).length,
    repeats,
    wrong,
    standing: standing.length,
    closedEarly: standing.filter((id) => !nowOpen.has(id)).length,
    due: due.length,
    leftOpen: due.filter((id) => nowOpen.has(id)).length,
    faulty: isFaulty ? 1 : 0,
    falsePass: isFaulty && verdict === 'lgtm' ? 1 : 0,
    sound: isFaulty ? 0 : 1,
    falseBlock: !isFaulty && verdict === 'feedback' ? 1 : 0,
  };
};

/** The counts of each review, in order. @throws Error if there is not one review for each push */
export const countRounds = (
  { id, pushes }: Pick<EvalRoundsCase, 'id' | 'pushes'>,
  reviews: readonly SeenReview[],
): readonly RoundCounts[] => {
  if (reviews.length !== pushes.length) throw new Error(`${id} has ${pushes.length} pushes, not ${reviews.length}`);
  const counting: Counting = { about: new Map(), known: new Map(), wereOpen: new Set() };
  return reviews.map((review, index) => countReview(counting, review, pushes[index]?.open ?? []));
};
