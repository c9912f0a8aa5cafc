import { describe, expect, it } from 'vitest';
import { findThread, isSameFinding } from '../../../../shared/rounds/duplicates/duplicates-match.ts';
import { similarity } from '../../../../shared/rounds/duplicates/duplicates.ts';
import * as make from '../builders.ts';

const MATCHING = { review: 2, moved: [], threshold: 0.6 };

/** Says the same of the same line in other words, so that only the words tell. */
const reworded = make.finding(
  {},
  { title: 'The result is never awaited, and failures get lost', evidence: 'save(x);' },
);

describe('the thread that a finding repeats', () => {
  it('F-T21: is one of an earlier round, since what this round posted is known by its fingerprint alone', () => {
    expect(findThread(reworded, [make.thread({ review: 1 })], MATCHING)).toMatchObject({ id: 'F-001' });
    expect(findThread(reworded, [make.thread({ review: 2 })], MATCHING)).toBeUndefined();
    expect(findThread(make.finding(), [make.thread({ review: 2 })], MATCHING)).toMatchObject({ id: 'F-001' });
  });
});

describe('two findings of one draft', () => {
  it('F-T21: are the same only when they are much more alike than a thread has to be', () => {
    const one = make.finding();
    const other = make.finding({}, { title: 'The saved order is never checked', body: 'Its failure is lost.' });
    const claimOf = ({ claim }: typeof one) => ({
      place: claim,
      title: claim.title,
      body: claim.body,
      citedCode: claim.evidence,
    });
    const likeness = similarity(claimOf(one), claimOf(other));
    expect([likeness > 0.6, likeness < 0.9]).toEqual([true, true]);
    expect(isSameFinding(one, other, 0.6)).toBe(false);
    expect(isSameFinding(one, make.finding({}, { body: `${one.claim.body} Always.` }), 0.6)).toBe(true);
  });
});
