/** Row X6: a reviewed input is not reviewed again, on simulated forges with real git. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { advanceMain, commit, mergeOurs, moveTo, tipOf } from './head-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const BAD = textOf('export const run = (text) => eval(text);');
const REWORDED = textOf('export const run = (words) => eval(words);');
const MIDDLE = Array.from({ length: 30 }, (_, index) => `// line ${index}`);
const twins = (inFirst: readonly string[], inSecond: readonly string[]): string =>
  textOf('function a() {', ...inFirst, '  start();', '}', ...MIDDLE, 'function b() {', ...inSecond, '  start();', '}');
const TEST_MS = 240_000;

describe.each(usually('forgejo' as const, 'gitlab' as const))('on %s', (kind) => {
  const [passed, blocked] = kind === 'gitlab' ? ['success', 'failed'] : ['success', 'failure'];
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, '', '[rounds]\nmax = 3\nmax_runs = 12');
    await advanceMain(stage, { 'twins.js': twins([], []) });
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  /** Number of comments that could have sent notifications. */
  const saidOn = (number: number): number => {
    const { comments, inline, reviews } = stage.look(number);
    return comments.length + reviews.length + inline.length;
  };
  const reviews = (): number => stage.outcomes().filter((outcome) => outcome === 'drafted').length;

  test(
    'X6: an empty commit, other words, a rebase and A, B, A, B are not reviewed again, Redis wiped in between',
    async () => {
      const number = await stage.open('same', BAD);
      expect(await stage.statusOf(number)).toBe(blocked);
      const before = { said: saidOn(number), reviews: reviews() };
      const first = await tipOf(stage, 'same');

      await commit(stage, { branch: 'same', files: {}, message: 'Nothing\n' });
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(stage.summaryOf(number)).toContain(`the same content as \`${first.slice(0, 10)}\``);

      await stage.wipe();
      await commit(stage, { branch: 'same', files: { 'same.js': BAD }, message: 'Other words\n', onto: `${first}^` });
      expect(await stage.statusOf(number)).toBe(blocked);

      await advanceMain(stage, { 'elsewhere.js': textOf('export const far = 1;') });
      stage.sim.fault({ method: kind === 'gitlab' ? 'PUT' : 'PATCH', path: /notes|comments/ }, [
        { kind: 'pass' },
        { kind: 'reset', when: 'after' },
      ]);
      await commit(stage, { branch: 'same', files: { 'same.js': BAD }, message: 'Rebased\n', onto: 'main' });
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(stage.summaryOf(number)).toContain('on a newer base');
      const second = await tipOf(stage, 'same');

      for (const head of [first, second, first, second]) {
        await moveTo(stage, 'same', head);
        expect(await stage.statusOf(number)).toBe(blocked);
      }
      expect({ said: saidOn(number), reviews: reviews() }).toEqual(before);
      expect(stage.outcomes().filter((outcome) => outcome === 'same_input')).toHaveLength(3);
      expect(stage.summaryOf(number)).toContain('Review 1 of 12 · round 1 of 3');

      await stage.push('same', REWORDED);
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(reviews()).toBe(before.reviews + 1);
      expect(stage.summaryOf(number)).toContain('Review 2 of 12 · round 2 of 3');
    },
    TEST_MS,
  );

  test(
    'X6: a line that moves to another function is reviewed although the lines around it are the same',
    async () => {
      await commit(stage, { branch: 'guard', files: { 'twins.js': twins(['  guard();'], []) } });
      const number = await stage.open('guard', textOf('export const one = 1;'));
      expect(await stage.statusOf(number)).toBe(passed);
      const before = reviews();
      await commit(stage, {
        branch: 'guard',
        files: { 'twins.js': twins([], ['  guard();']), 'guard.js': textOf('export const one = 1;') },
        onto: 'main',
      });
      expect(await stage.statusOf(number)).toBe(passed);
      expect(reviews()).toBe(before + 1);
    },
    TEST_MS,
  );

  test(
    'X6: a merge that takes back what the target branch has done since is reviewed although the tree is the same',
    async () => {
      const number = await stage.open('ours', textOf('export const two = 2;'));
      expect(await stage.statusOf(number)).toBe(passed);
      const before = reviews();
      await advanceMain(stage, { 'fixed.js': textOf('export const fixed = true;') });
      await mergeOurs(stage, 'ours');
      expect(await stage.statusOf(number)).toBe(passed);
      expect(reviews()).toBe(before + 1);
    },
    TEST_MS,
  );
});
