import { describe, expect, it } from 'vitest';
import { problemsOn } from './explore-settings.ts';
import { countOf, loadMutant } from './load-mutant.ts';
import { MUTANTS } from './mutants.ts';

/** A loaded machine walks slowly. */
const WALK_MS = 240_000;

/** These grounds take minutes on a loaded machine. */
const SLOW: ReadonlySet<string> = new Set(
  process.env['FIXPOINT_DEEP'] === '1' ? [] : ['answers', 'carries', 'fixed', 'fixes', 'heads', 'raised', 'threads'],
);

describe('the walk of every state', () => {
  it.each(MUTANTS.filter(({ ground }) => !SLOW.has(ground)))(
    'notices that $name',
    { timeout: WALK_MS },
    async (mutant) => {
      const { reducers, close } = await loadMutant(mutant);
      try {
        expect(problemsOn(reducers, mutant.ground)).not.toEqual([]);
      } finally {
        await close();
      }
    },
  );

  it.each(MUTANTS)('is given a text that is still there to be changed: $name', async (mutant) => {
    expect(await countOf(mutant)).toBe(1);
  });

  it('has mutants with different names', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });
});
