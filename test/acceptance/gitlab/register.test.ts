import { describe, expect, it } from 'vitest';
import { brokenProofs, joinTables } from '../named-test.ts';
import { GATE_ROWS } from './gate-rows.ts';
import { OTHER_ROWS } from './other-rows.ts';

const FAULTS = joinTables([GATE_ROWS, OTHER_ROWS]);

describe('the register of faults against GitLab’s own source', () => {
  it('has rows GL1 to GL11 alone, and those of the gate', () => {
    expect(Object.keys(FAULTS).filter((id) => !/^GL(?:[1-9]|1[01])$/.test(id))).toEqual([]);
    expect(Object.keys(GATE_ROWS)).toEqual(['GL1', 'GL2', 'GL3', 'GL4', 'GL5']);
  });

  it('leads from each row to tests that run, or to a reason', () => {
    expect(brokenProofs(FAULTS)).toEqual([]);
  });
});
