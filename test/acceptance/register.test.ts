import { describe, expect, it } from 'vitest';
import { brokenProofs, later, missingWhy, proved } from './named-test.ts';
import { REGISTER } from './register.ts';

const numbered = (letter: string, numbers: readonly number[]): readonly string[] =>
  numbers.map((each) => `${letter}${each}`);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

const ROWS = [
  ...numbered('I', upTo(14)),
  ...numbered('P', upTo(14)),
  ...numbered('Q', [...upTo(9), 12, 16]),
  ...numbered('T', upTo(14)),
  ...numbered('G', upTo(11)),
  ...numbered('C', upTo(7)),
  ...numbered('L', [5, 6]),
  ...numbered('X', upTo(15)),
  ...numbered('A12.', upTo(13)),
];

describe('the register of acceptance rows', () => {
  it('has every row of the matrix that this part owes, and no other', () => {
    expect(Object.keys(REGISTER).toSorted()).toEqual(ROWS.toSorted());
  });

  it('leads from each row to tests that are there, or to a reason', () => {
    expect(brokenProofs(REGISTER)).toEqual([]);
  });
});

describe('a pointer to a test', () => {
  const here = 'test/acceptance/register.test.ts';

  it('is followed to its name', () => {
    expect(missingWhy({ at: here, name: 'is followed to its name' })).toBeNull();
  });

  it('may name the folder', () => {
    expect(missingWhy({ at: 'test/acceptance', name: 'may name the folder' })).toBeNull();
  });

  it.each([
    ['an unknown file', { at: 'test/nowhere.test.ts', name: 'x' }, 'is not there'],
    ['an unknown name', { at: here, name: ['is', 'nowhere', 'said'].join(' ') }, 'has no test called'],
    // The only place where it stands is this comment: a note of nobody
    ['a comment', { at: here, name: ['a note', 'of nobody'].join(' ') }, 'has no test called'],
  ])('leads nowhere for %s', (_name, pointer, why) => {
    expect(missingWhy(pointer)).toContain(why);
  });

  it('is owed unless there is a reason', () => {
    expect(brokenProofs({ A: proved(), B: later(''), C: later('a part that is not yet built') })).toEqual([
      'A: no test and no reason',
      'B: a reason is missing',
    ]);
  });
});
