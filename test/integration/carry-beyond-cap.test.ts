/** Peer V8: a forge that requires up-to-date branches can still merge after the cap of rounds. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { advanceMain, commit, mergeMain } from './head-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');
const TEST_MS = 120_000;
const DEEP = process.env['FIXPOINT_DEEP'] === '1';

describe.each(usually('forgejo' as const, 'gitlab' as const))('on %s, after the last round', (kind) => {
  const [passed, blocked, unknown] =
    kind === 'gitlab' ? ['success', 'failed', 'canceled'] : ['success', 'failure', 'error'];
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, '', '[rounds]\nmax = 1\nmax_runs = 4\nmax_silent = 3\nmax_carried = 2');
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  const handOffs = (number: number): readonly string[] =>
    stage
      .look(number)
      .comments.map(({ body }) => body)
      .filter((body) => body.includes('How to proceed'));
  const reviews = (): number => stage.outcomes().filter((outcome) => outcome === 'drafted').length;

  test(
    'V8: a merge of the target branch and a rebase keep the verdict without a review; another change gets a closing review',
    async () => {
      const number = await stage.open('update', BAD);
      expect(await stage.statusOf(number)).toBe(blocked);
      expect(handOffs(number)).toEqual([expect.stringContaining('used the last round (1 of 1)')]);
      await stage.push('update', CLEAN);
      expect(await stage.statusOf(number)).toBe(passed);
      const before = reviews();

      await advanceMain(stage, { 'far.js': textOf('export const far = 1;') });
      await mergeMain(stage, 'update');
      expect(await stage.statusOf(number)).toBe(passed);
      expect(stage.summaryOf(number)).toContain('on a newer base');
      await stage.wipe();
      await advanceMain(stage, { 'farther.js': textOf('export const farther = 1;') });
      await commit(stage, { branch: 'update', files: { 'update.js': CLEAN }, message: 'Rebased\n', onto: 'main' });
      expect(await stage.statusOf(number)).toBe(passed);
      expect({ reviews: reviews(), handOffs: handOffs(number).length }).toEqual({ reviews: before, handOffs: 1 });

      await stage.push('update', textOf('export const two = 2;'));
      expect(await stage.statusOf(number)).toBe(passed);
      expect({ reviews: reviews(), handOffs: handOffs(number).length }).toEqual({ reviews: before + 1, handOffs: 1 });

      await stage.push('update', textOf('export const two = 2;', 'export const worse = (text) => eval(text + 2);'));
      expect(await stage.statusOf(number)).toBe(blocked);
      expect({ reviews: reviews(), threads: stage.look(number).inline.length }).toEqual({
        reviews: before + 2,
        threads: 1,
      });
      expect(handOffs(number)).toHaveLength(2);
      expect(handOffs(number)[1]).toMatch(/`update\.js:2` \(F-002, no thread\)/);
    },
    TEST_MS,
  );

  test.runIf(DEEP)(
    'V8: what blocks stays blocked through merges of the target branch, and no run is taken beyond the caps',
    async () => {
      const number = await stage.open('bad', BAD);
      expect(await stage.statusOf(number)).toBe(blocked);
      const before = { reviews: reviews(), runs: stage.outcomes().length };
      const told: string[] = [];
      for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) {
        await advanceMain(stage, { [`${name}.js`]: textOf(`export const ${name} = 1;`) });
        await mergeMain(stage, 'bad');
        told.push(`${await stage.statusOf(number)} after ${reviews() - before.reviews} reviews`);
      }
      expect(told).toEqual([
        // Two carried heads, then three silent reviews.
        ...[0, 0, 1, 2, 3].map((count) => `${blocked} after ${count} reviews`),
        ...[3, 3].map((count) => `${unknown} after ${count} reviews`),
      ]);
      expect(stage.outcomes().length).toBe(before.runs + 5);
      expect(stage.look(number).inline).toHaveLength(1);
    },
    TEST_MS,
  );
});
