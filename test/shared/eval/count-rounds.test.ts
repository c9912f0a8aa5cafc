/** The counts of scripted reviewers of our own change requests with several pushes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { countRounds, NO_ROUNDS, type RoundCounts, sumRounds } from '../../../shared/eval/count-rounds.ts';
import type { SeenReview, SeenThread } from '../../../shared/eval/result.ts';
import type { EvalRoundsCase, OpenDefect } from '../../../shared/eval/rounds-case.ts';
import { roundCases } from '../../services/cli/eval/own-set.ts';
import { roundsCase, seenThread } from './cases.ts';

let cases: readonly EvalRoundsCase[];
beforeAll(async () => void (cases = await roundCases()));

/** Reviews each push from what is true then and the threads so far. */
type Persona = (truth: readonly OpenDefect[], before: readonly SeenThread[], push: number) => SeenReview;

const threadOf = ({ id, path, line }: OpenDefect, push: number): SeenThread =>
  seenThread({ id: `${id} ${path} ${push}`, path, line });

const verdictFor = (threads: readonly SeenThread[]) => (threads.some(({ isOpen }) => isOpen) ? 'feedback' : 'lgtm');
const shown = (threads: readonly SeenThread[]): SeenReview => ({
  verdict: verdictFor(threads),
  threads: [...threads],
  notes: [],
});
const idOf = ({ id }: SeenThread): string => id.split(' ')[0] ?? '';

const careful: Persona = (truth, before, push) => {
  const present = new Set(truth.map(({ id }) => id));
  const kept = before.map((thread) => ({ ...thread, isOpen: thread.isOpen && present.has(idOf(thread)) }));
  const having = new Set(kept.filter(({ isOpen }) => isOpen).map(idOf));
  return shown([...kept, ...truth.filter(({ id }) => !having.has(id)).map((each) => threadOf(each, push))]);
};

const PERSONAS: Readonly<Record<string, Persona>> = {
  careful,
  'forgets everything': () => shown([]),
  'insists for ever': (truth, before, push) => {
    const having = new Set(before.map(idOf));
    return shown([...before, ...truth.filter(({ id }) => !having.has(id)).map((each) => threadOf(each, push))]);
  },
  'resolves everything': (truth, before, push) => {
    const having = new Set(before.map(idOf));
    const closed = before.map((thread) => ({ ...thread, isOpen: false }));
    return shown([...closed, ...truth.filter(({ id }) => !having.has(id)).map((each) => threadOf(each, push))]);
  },
  'repeats itself': (truth, before, push) => shown([...before, ...truth.map((each) => threadOf(each, push))]),
  'claims everything': (truth, before, push) => {
    const { threads } = careful(
      truth,
      before.filter(({ path }) => path !== 'none'),
      push,
    );
    return shown([
      ...threads,
      ...before.filter(({ path }) => path === 'none'),
      seenThread({ id: `x ${push}`, path: 'none', line: 1 }),
    ]);
  },
  'finds it a push later': (truth, before, push) => (push === 0 ? shown([]) : careful(truth, before, push)),
};

const play = (persona: Persona): RoundCounts =>
  sumRounds(
    cases.flatMap((each) => {
      let threads: readonly SeenThread[] = [];
      const reviews = each.pushes.map(({ open }, push) => {
        const review = persona(open, threads, push);
        threads = review.threads;
        return review;
      });
      return countRounds(each, reviews);
    }),
  );

/** What there was to decide; it says nothing about the reviewer. */
const chancesIn = ({ reviews, defects, standing, due, faulty, sound }: RoundCounts) => ({
  reviews,
  defects,
  standing,
  due,
  faulty,
  sound,
});

describe('scripted reviewers are told apart', () => {
  const careless = (name: string): RoundCounts => play(PERSONAS[name] ?? careful);

  test('a careful one has nothing against it', () => {
    const best = careless('careful');
    expect(best).toEqual({ ...NO_ROUNDS, ...chancesIn(best), found: best.defects });
    expect(best.defects).toBeGreaterThan(30);
    expect(best.standing).toBeGreaterThan(10);
    expect(best.due).toBeGreaterThan(30);
    expect(best.faulty + best.sound).toBe(best.reviews);
  });

  test.each<readonly [string, readonly (keyof RoundCounts)[]]>([
    ['forgets everything', ['falsePass']],
    ['insists for ever', ['falseBlock', 'leftOpen']],
    ['resolves everything', ['closedEarly', 'falsePass']],
    ['repeats itself', ['falseBlock', 'leftOpen', 'repeats']],
    ['claims everything', ['falseBlock', 'wrong']],
    ['finds it a push later', ['falsePass', 'late']],
  ])('one that %s has %j against it', (name, expected) => {
    const counts = careless(name);
    const chances = chancesIn(counts);
    const raised = Object.entries(counts).filter(
      ([what, count]) => count > 0 && what !== 'found' && !(what in chances),
    );
    expect(raised.map(([what]) => what).toSorted()).toEqual(expected);
  });
});

test('a review for each push is required', () => {
  expect(() => countRounds(roundsCase(), [])).toThrow('pushes has 2 pushes, not 0');
});

test('two defects at one place get one thread each before one of them counts as repeated', () => {
  const both = ['a', 'b'].map((id) => ({ id, path: 'src/a.ts', line: 2 }));
  const defect = { severity: 'P1', text: 'x' };
  const [before] = roundsCase().pushes;
  const of = roundsCase({ defects: { a: defect, b: defect }, pushes: [{ ...before, open: both }] });
  const threads = ['1', '2', '3'].map((id) => seenThread({ id }));
  expect(countRounds(of, [{ verdict: 'feedback', notes: [], threads }])).toMatchObject([
    { defects: 2, found: 2, repeats: 1, wrong: 0 },
  ]);
});

test('a defect that was found stays found: its thread is missed in every review until the defect is fixed', () => {
  const [before] = roundsCase().pushes;
  const of = roundsCase({ pushes: [before, { ...before, files: [] }, { ...before, files: [] }] });
  const shownWith = (isOpen: boolean): SeenReview => shown([seenThread({ isOpen })]);
  expect(countRounds(of, [shownWith(true), shownWith(false), shownWith(false)])).toMatchObject([
    { found: 1, standing: 0 },
    { standing: 1, closedEarly: 1 },
    { standing: 1, closedEarly: 1, late: 0 },
  ]);
});
