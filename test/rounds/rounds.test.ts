/** Our change requests with the truth per review: their form, and the rules on them with all services and without a server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countRounds, NO_ROUNDS, sumRounds } from '../../shared/eval/count-rounds.ts';
import { type EvalReport, evalReportOf } from '../../shared/eval/report.ts';
import type { EvalResult } from '../../shared/eval/result.ts';
import type { EvalRoundsCase } from '../../shared/eval/rounds-case.ts';
import { readProjectFile } from '../conventions/source.ts';
import { temporaryFolder } from '../shared/workspace/repository.ts';
import { evaluateCases, roundCases } from '../services/cli/eval/own-set.ts';
import { commitBase } from '../support/story.ts';
import { STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';
import { playOnForge } from './play-on-forge.ts';

/** One history of each kind; the deep run plays all with all services. */
const USUAL = ['javascript-moved', 'javascript-back', 'python-second', 'python-renamed', 'go-fixed'];

const isPlayed = ({ id }: EvalRoundsCase): boolean => process.env['FIXPOINT_DEEP'] === '1' || USUAL.includes(id);

const ALL_MS = 300_000;

let cases: readonly EvalRoundsCase[];
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  cases = await roundCases();
});
afterAll(() => folder?.dispose());

test('the 30 change requests have different names, a defect at some time, and none in the end', () => {
  expect(new Set(cases.map(({ id }) => id)).size).toBe(30);
  expect(cases.filter(({ pushes }) => pushes.every(({ open }) => open.length === 0))).toEqual([]);
  expect(cases.filter(({ pushes }) => pushes.at(-1)?.open.length !== 0)).toEqual([]);
});

describe('the rules', () => {
  let world: StoryWorld;
  let results: readonly EvalResult[];
  let rounds: EvalReport['rounds'];
  beforeAll(async () => {
    const evaluated = await evaluateCases(cases, { folder: folder.path, reviewerOf: () => ({ kind: 'rules' }) });
    ({ results } = evaluated);
    ({ rounds } = evalReportOf(evaluated));
  }, ALL_MS);
  beforeAll(async () => {
    world = await startStoryWorld();
    await commitBase(world, { 'README.md': '# Shop\n' });
  }, STORY_MS);
  afterAll(async () => world?.finish(), STORY_MS);

  test('have the numbers that the guide states', () => {
    const told = /\| rules \| (\d+) \| (.*) of (.*) \| (\d+) \| (.*) of (.*) \| (.*) of (.*) \| (.*) of (.*) \|/.exec(
      readProjectFile('deploy/guide/quality.md'),
    );
    const shares = [rounds?.found, rounds?.closedEarly, rounds?.leftOpen, rounds?.falsePass];
    const [found, ...others] = shares.map((share) => [share?.part, share?.of]);
    expect((told ?? []).slice(1).map(Number)).toEqual([
      rounds?.reviews,
      ...(found ?? []),
      rounds?.repeats.part,
      ...others.flat(),
    ]);
    expect(rounds).toMatchObject({ failed: 0, inconclusive: 0, wrong: { part: 0 }, falseBlock: { part: 0 } });
  });

  test(
    'find what they know at once and forget nothing; with all services the threads are the same',
    async () => {
      for (const each of cases.filter(isPlayed)) {
        const reviews = await playOnForge(world, each);
        // The same threads with the same numbers, states, lines and titles.
        expect(results.find(({ caseId }) => caseId === each.id)).toMatchObject({ kind: 'rounds', reviews });
        const {
          defects,
          standing,
          due,
          faulty,
          sound,
          reviews: count,
          ...rest
        } = sumRounds(countRounds(each, reviews));
        const chances = { defects, standing, due, faulty, sound, reviews: count };
        if (each.language === 'Go') expect(rest).toMatchObject({ found: 0, late: 0, wrong: 0, repeats: 0 });
        else expect({ ...rest, ...chances }).toEqual({ ...NO_ROUNDS, ...chances, found: defects });
      }
    },
    30 * STORY_MS,
  );
});
