/** The change requests with the truth per review: their form, the score of scripted reviewers, and the rules with all services. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitBase } from '../support/story.ts';
import { STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';
import { playRounds } from './play-rounds.ts';
import { loadRoundCases, type RoundCase } from './round-case.ts';
import {
  addRounds,
  NO_ROUNDS,
  type RoundScores,
  scoreRounds,
  type SeenReview,
  type SeenThread,
} from './score-rounds.ts';

const CASES = loadRoundCases();

/** The files of a change request after each push. */
const filesAfter = ({ pushes }: RoundCase): readonly ReadonlyMap<string, string>[] => {
  const files = new Map<string, string>();
  return pushes.map((push) => {
    for (const { path, text } of push.files) {
      if (text === null) files.delete(path);
      else files.set(path, text);
    }
    return new Map(files);
  });
};

describe('the 30 change requests', () => {
  test('have different names, several pushes, and a defect at some time', () => {
    expect(CASES).toHaveLength(30);
    expect(new Set(CASES.map(({ id }) => id)).size).toBe(30);
    expect(CASES.filter(({ pushes }) => pushes.every(({ open }) => open.length === 0))).toEqual([]);
    expect(CASES.filter(({ pushes }) => pushes.at(-1)?.open.length !== 0)).toEqual([]);
  });

  test('name lines with code for every defect after every push', () => {
    const lost = CASES.flatMap((each) => {
      const files = filesAfter(each);
      return each.pushes.flatMap(({ open }, index) =>
        open
          .filter(({ path, line }) => (files[index]?.get(path)?.split('\n')[line - 1] ?? '').trim() === '')
          .map(({ id }) => `${each.id} ${index} ${id}`),
      );
    });
    expect(lost).toEqual([]);
  });
});

/** Reviews each push from what is true then and the threads so far. */
type Persona = (truth: RoundCase['pushes'][number]['open'], before: readonly SeenThread[], push: number) => SeenReview;

const threadOf = ({ id, path, line }: RoundCase['pushes'][number]['open'][number], push: number): SeenThread => ({
  id: `${id} ${path} ${push}`,
  path,
  line,
  isOpen: true,
});

const verdictFor = (threads: readonly SeenThread[]) => (threads.some(({ isOpen }) => isOpen) ? 'feedback' : 'lgtm');
const shown = (threads: readonly SeenThread[]): SeenReview => ({ verdict: verdictFor(threads), threads });
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
      { id: `x ${push}`, path: 'none', line: 1, isOpen: true },
    ]);
  },
  'finds it a push later': (truth, before, push) => (push === 0 ? shown([]) : careful(truth, before, push)),
};

const play = (persona: Persona): RoundScores =>
  CASES.reduce((sum, each) => {
    let threads: readonly SeenThread[] = [];
    const reviews = each.pushes.map(({ open }, push) => {
      const review = persona(open, threads, push);
      threads = review.threads;
      return review;
    });
    return addRounds(sum, scoreRounds(each, reviews));
  }, NO_ROUNDS);

describe('scripted reviewers are told apart', () => {
  const careless = (name: string): RoundScores => play(PERSONAS[name] ?? careful);
  const best = careless('careful');

  test('a careful one has nothing against it', () => {
    expect(best).toEqual({ ...NO_ROUNDS, reviews: best.reviews, defects: best.defects, found: best.defects });
    expect(best.defects).toBeGreaterThan(30);
  });

  test.each<readonly [string, readonly (keyof RoundScores)[]]>([
    ['forgets everything', ['falsePass']],
    ['insists for ever', ['falseBlock', 'leftOpen']],
    ['resolves everything', ['closedEarly', 'falsePass']],
    ['repeats itself', ['falseBlock', 'leftOpen', 'repeats']],
    ['claims everything', ['falseBlock', 'wrong']],
    ['finds it a push later', ['falsePass', 'late']],
  ])('one that %s has %j against it', (name, expected) => {
    const { reviews: _reviews, defects: _defects, found: _found, ...against } = careless(name);
    const raised = Object.entries(against).filter(([, count]) => count > 0);
    expect(raised.map(([what]) => what).toSorted()).toEqual(expected);
  });

  test('a review for each push is required', () => {
    const [first] = CASES;
    if (first === undefined) throw new Error('there is no case');
    expect(() => scoreRounds(first, [])).toThrow(/has \d pushes, not 0/);
  });
});

describe('the rules with all services', () => {
  let world: StoryWorld;
  beforeAll(async () => {
    world = await startStoryWorld();
    await commitBase(world, { 'README.md': '# Shop\n' });
  }, STORY_MS);
  afterAll(async () => world?.finish(), STORY_MS);

  /** One history of each kind; the deep run plays all. */
  const usual = CASES.filter(({ id }) =>
    ['javascript-moved', 'javascript-back', 'python-second', 'python-renamed', 'go-fixed'].includes(id),
  );
  const played = process.env['FIXPOINT_DEEP'] === '1' ? CASES : usual;

  test.each(played.map((each) => [each.id, each] as const))(
    '%s: threads come once, stay while the defect is there, and close with it',
    async (_id, each) => {
      const scores = scoreRounds(each, await playRounds(world, each));
      const { reviews, defects } = scores;
      if (each.language === 'Go') expect(scores).toMatchObject({ found: 0, late: 0, wrong: 0, repeats: 0 });
      else expect(scores).toEqual({ ...NO_ROUNDS, reviews, defects, found: defects });
    },
    STORY_MS,
  );
});
