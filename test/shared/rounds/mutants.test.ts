import { describe, expect, it } from 'vitest';
import { shardOf } from '../../support/deep.ts';
import { PRODUCTION, type Reducers } from './explore-reducers.ts';
import { type Ground, problemsOn } from './explore-settings.ts';
import { countOf, loadMutant } from './load-mutant.ts';
import { MUTANTS } from './mutants.ts';

/** A loaded machine walks slowly. */
const WALK_MS = 240_000;

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

/** Some seconds each on an idle machine, and many on a loaded one. */
const SLOW: ReadonlySet<Ground> = new Set<Ground>(DEEP ? [] : ['fixed']);
/** A walk that goes far before it meets the mistake. */
const SLOW_MUTANTS: ReadonlySet<string> = new Set(DEEP ? [] : ['an answer takes no run']);

const GROUNDS = [...new Set(MUTANTS.map(({ ground }) => ground))].filter((ground) => !SLOW.has(ground));

const TRIED = MUTANTS.filter(({ ground, name }) => !SLOW.has(ground) && !SLOW_MUTANTS.has(name));

/** A mutant may also make a marker that no pass can read: then it is not written, or the next pass stops. */
const UNREADABLE: readonly unknown[] = ['MARKER_OF_OTHER_VERSION', 'MARKER_INVALID'];

const noticed = (reducers: Reducers, ground: Ground): readonly unknown[] => {
  try {
    return problemsOn(reducers, ground);
  } catch (error) {
    // A mutant has its own copy of the error's class.
    if (!(error instanceof Error && 'code' in error && UNREADABLE.includes(error.code))) throw error;
    return [error];
  }
};

describe('the walk of every state', () => {
  it.each(shardOf('mutants', TRIED))('notices that $name', { timeout: WALK_MS }, async (mutant) => {
    const { reducers, close } = await loadMutant(mutant);
    try {
      expect(noticed(reducers, mutant.ground)).not.toEqual([]);
    } finally {
      await close();
    }
  });

  it.each(shardOf('grounds', GROUNDS))('has nothing to notice in production: %s', { timeout: WALK_MS }, (ground) => {
    expect(problemsOn(PRODUCTION, ground)).toEqual([]);
  });

  it.each(MUTANTS)('is given a text that is still there to be changed: $name', async (mutant) => {
    expect(await countOf(mutant)).toBe(1);
  });

  it('has mutants with different names', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });
});
