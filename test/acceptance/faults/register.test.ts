import { describe, expect, it } from 'vitest';
import { brokenProofs, joinTables } from '../named-test.ts';
import { CLICK_ROWS } from './click-rows.ts';
import { COMMAND_LINE_ROWS } from './command-line-rows.ts';
import { HOSTILE_ROWS } from './hostile-rows.ts';
import { INPUT_ROWS } from './input-rows.ts';
import { LOOP_ROWS } from './loop-rows.ts';
import { MIND_ROWS } from './mind-rows.ts';
import { OUTAGE_ROWS } from './outage-rows.ts';
import { RECEIPT_ROWS } from './receipt-rows.ts';
import { RULE_ROWS } from './rule-rows.ts';
import { SETUP_ROWS } from './setup-rows.ts';
import { STUCK_ROWS } from './stuck-rows.ts';
import { TEST_ROWS } from './test-rows.ts';

const FAULTS = joinTables([
  INPUT_ROWS,
  RECEIPT_ROWS,
  COMMAND_LINE_ROWS,
  LOOP_ROWS,
  CLICK_ROWS,
  STUCK_ROWS,
  OUTAGE_ROWS,
  HOSTILE_ROWS,
  SETUP_ROWS,
  TEST_ROWS,
  MIND_ROWS,
  RULE_ROWS,
]);

const numbered = (letter: string, numbers: readonly number[]): readonly string[] =>
  numbers.map((each) => `F-${letter}${each}`);
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

/** Rows of this part; the conversation, GitLab's own pipelines and operation at scale are in later parts. */
const OWED = [
  ...numbered('A', [...upTo(8), 10, 11, 12]),
  ...numbered('B', upTo(10)),
  ...numbered('C', [1, 2, 3, 4, ...upTo(17).slice(6), 18]),
  ...numbered('D', upTo(3)),
  ...numbered('E', upTo(11)),
  ...numbered('F', [...upTo(6), 8, 9, 10, 12, ...upTo(20).slice(13)]),
  ...numbered('G', [...upTo(19), 21, 22]),
  ...numbered('R', upTo(15)),
  ...numbered('T', upTo(23)),
  ...numbered('W', upTo(12)),
];

describe('the register of faults found in use', () => {
  it('has every row that this part owes, and no other', () => {
    expect(Object.keys(FAULTS).toSorted()).toEqual(OWED.toSorted());
  });

  it('leads from each row to tests that run, or to a reason', () => {
    expect(brokenProofs(FAULTS)).toEqual([]);
  });

  it('has rows whose id carries the prefix F', () => {
    expect(Object.keys(FAULTS).filter((id) => !/^F-[A-Z]\d+$/.test(id))).toEqual([]);
  });
});
