import { describe, expect, it } from 'vitest';
import { problemsOn } from './explore-settings.ts';
import { countOf, loadMutant } from './load-mutant.ts';
import { MUTANTS } from './mutants.ts';

/** A loaded machine walks slowly. */
const WALK_MS = 240_000;

describe('the walk of every state', () => {
  it.each(MUTANTS)('notices that $name', { timeout: WALK_MS }, async (mutant) => {
    expect(await countOf(mutant)).toBe(1);
    const { reducers, close } = await loadMutant(mutant);
    try {
      expect(problemsOn(reducers, mutant.ground)).not.toEqual([]);
    } finally {
      await close();
    }
  });

  it('has mutants with different names', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });
});
