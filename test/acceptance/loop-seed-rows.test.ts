import { describe, expect, it } from 'vitest';
import { LOOP_SEED_ROWS } from './loop-seed-rows.ts';
import { brokenProofs } from './named-test.ts';

/** Number of behaviours and weaknesses in the study of the seed. */
const OWED = {
  'S3.verdict': 13,
  'S3.context': 9,
  'S3.loop': 13,
  'S3.providers': 3,
  'S3.prompts': 5,
  'S3.live': 5,
  'S3.marker': 5,
  'S3.scope': 3,
  'S3.config': 4,
  S4: 11,
} as const;

describe('the register of the seed of the local loop', () => {
  it('has every behaviour and every weakness that the study lists, and no other', () => {
    const owed = Object.entries(OWED).flatMap(([prefix, count]) =>
      Array.from({ length: count }, (_, index) => `${prefix}.${index + 1}`),
    );
    expect(Object.keys(LOOP_SEED_ROWS).toSorted()).toEqual(owed.toSorted());
  });

  it('leads from each to tests that are there', () => {
    expect(brokenProofs(LOOP_SEED_ROWS)).toEqual([]);
  });
});
