import { describe, expect, it } from 'vitest';
import { brokenProofs, by, byDeep, followPointer, joinTables, later, proved } from './named-test.ts';
import { REGISTER } from './register.ts';

const numbered = (letter: string, numbers: readonly number[]): readonly string[] =>
  numbers.map((each) => `${letter}${each}`);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

const ROWS = [
  ...numbered('I', upTo(14)),
  ...numbered('P', upTo(14)),
  ...numbered('Q', upTo(17)),
  ...numbered('T', upTo(14)),
  ...numbered('G', upTo(11)),
  ...numbered('C', upTo(7)),
  ...numbered('L', upTo(6)),
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
  const USUAL = { kind: 'runs', when: 'always' };
  const here = 'test/acceptance/register.test.ts';

  it('is followed to its name', () => {
    expect(followPointer({ at: here, name: 'is followed to its name' })).toEqual(USUAL);
  });

  it('may name the folder', () => {
    expect(followPointer({ at: 'test/acceptance', name: 'may name the folder' })).toEqual(USUAL);
  });

  it.each([
    ['an unknown file', { at: 'test/nowhere.test.ts', name: 'x' }, 'is not there'],
    ['an unknown name', { at: here, name: ['is', 'nowhere', 'said'].join(' ') }, 'has no test called'],
    // The only place where it stands is this comment: a note of nobody
    ['a comment', { at: here, name: ['a note', 'of nobody'].join(' ') }, 'has no test called'],
  ])('leads nowhere for %s', (_name, pointer, why) => {
    expect(followPointer(pointer)).toEqual({ kind: 'missing', why: expect.stringContaining(why) });
  });

  const CARRY = 'test/integration/carry-beyond-cap.test.ts';
  const DEEP = 'V8: what blocks stays blocked through merges';

  it('says when what it leads to runs', () => {
    expect(followPointer({ at: CARRY, name: DEEP })).toEqual({ kind: 'runs', when: 'deep' });
  });

  it('is owed unless there is a reason', () => {
    expect(brokenProofs({ A: proved(), B: later(''), C: later('a part that is not yet built') })).toEqual([
      'A: no test and no reason',
      'B: a reason is missing',
    ]);
  });

  it('to the deep run alone says so, and is not enough', () => {
    const name = 'is owed unless there is a reason';
    expect(
      brokenProofs({
        A: proved(by(here, name), byDeep(CARRY, DEEP)),
        B: proved(by(here, name), by(CARRY, DEEP)),
        C: proved(byDeep(CARRY, DEEP)),
        D: proved(byDeep(here, name)),
      }),
    ).toEqual([
      `B: ${CARRY}: "${DEEP}" is only in the deep run`,
      'C: no test of the usual run',
      `D: ${here}: "${name}" is not only in the deep run`,
    ]);
  });

  it('hides no other of its row', () => {
    expect(() => joinTables([{ A: later('x') }, { B: later('x'), A: proved() }])).toThrow('rows that stand twice: A');
  });
});
