import { describe, expect, it } from 'vitest';
import { brokenProofs, joinTables } from '../named-test.ts';
import { CLICK_ROWS } from './click-rows.ts';
import { COMMAND_LINE_ROWS } from './command-line-rows.ts';
import { HOSTILE_ROWS } from './hostile-rows.ts';
import { INPUT_ROWS } from './input-rows.ts';
import { LOOP_ROWS } from './loop-rows.ts';
import { OUTAGE_ROWS } from './outage-rows.ts';
import { RECEIPT_ROWS } from './receipt-rows.ts';
import { SETUP_ROWS } from './setup-rows.ts';
import { STUCK_ROWS } from './stuck-rows.ts';

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
]);

describe('the register of faults found in use', () => {
  it('leads from each row to tests that run, or to a reason', () => {
    expect(brokenProofs(FAULTS)).toEqual([]);
  });

  it('has rows whose id carries the prefix F', () => {
    expect(Object.keys(FAULTS).filter((id) => !/^F-[A-Z]\d+$/.test(id))).toEqual([]);
  });
});
