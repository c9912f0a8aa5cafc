import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareInputs, type Input, inputKey, mayBeSameInput } from '../../../../shared/rounds/model/input.ts';
import * as make from '../builders.ts';

const known = make.at(make.sha('head'));
const later = { targetHead: make.sha('later') };

describe('F-A1: two inputs', () => {
  it.each<[string, Partial<Input>, 'same' | 'other' | 'unknown']>([
    ['are the same', {}, 'same'],
    ['are the same after an advance of the target', later, 'same'],
    ['differ in the head', { head: make.sha('x') }, 'other'],
    ['differ in the target branch, whatever else is equal', { target: 'lab' }, 'other'],
    ['differ in the merge base', { ...later, base: make.sha('x') }, 'other'],
    ['are the same at the same tip, although the forge lags behind', { base: make.sha('x') }, 'same'],
    ['may be the same where the merge base is not known', { ...later, base: null }, 'unknown'],
  ])('%s', (_name, patch, expected) => {
    expect(compareInputs(known, { ...known, ...patch })).toBe(expected);
  });

  it('with several merge bases are compared by git', () => {
    const several = { ...known, otherBases: [make.sha('other base')] };
    expect(compareInputs(several, { ...known, ...later })).toBe('unknown');
    expect(compareInputs(several, { ...known, ...later, base: make.sha('other base') })).toBe('unknown');
    expect(compareInputs(several, { ...known, ...later, base: make.sha('x') })).toBe('other');
  });

  it('are never the same with another head or target, and never by what is not known', () => {
    const sha = fc.constantFrom(...['a', 'b', 'c'].map(make.sha));
    const input = fc.record({
      head: sha,
      target: fc.constantFrom('main', 'lab'),
      targetHead: sha,
      base: fc.option(sha),
    });
    fc.assert(
      fc.property(input, input, (one, other) => {
        const found = compareInputs(one, other);
        if (one.head !== other.head || one.target !== other.target) expect(found).toBe('other');
        if (found === 'same' && one.targetHead !== other.targetHead) expect(inputKey(one)).toBe(inputKey(other));
        expect(mayBeSameInput(one, other)).toBe(found !== 'other');
        expect(compareInputs(other, one)).toBe(found);
      }),
    );
  });
});
