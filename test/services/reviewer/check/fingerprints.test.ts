import { describe, expect, test } from 'vitest';
import { fingerprintOf, assignFingerprints } from '../../../../services/reviewer/check/fingerprints.ts';
import { claim } from '../../../shared/rounds/builders.ts';

const at = (line: number) => claim({ startLine: line, line });
const placeOf = (line: number) => ({ path: at(line).path, side: at(line).side, startLine: line, line });
const ordinals = new Map<string, number>();
const [first, second, third] = [1, 2, 3].map(() => fingerprintOf(at(1), ordinals));
const thread = (fingerprint = '', line: number | null = null) => ({
  fingerprint,
  now: line === null ? null : placeOf(line),
});

describe('the same claim about the same code, several times', () => {
  test.each([
    ['gets one fingerprint after the other', [at(1), at(9)], [], [first, second]],
    ['keeps the fingerprint of the thread at its place', [at(9)], [thread(first, 1), thread(second, 9)], [second]],
    ['is a new finding above a thread', [at(1), at(9)], [thread(first, 9)], [second, first]],
    ['is a new finding while the code of the thread is there', [at(1)], [thread(first, 9)], [second]],
    ['is a new finding beside two threads', [at(1)], [thread(second, 20), thread(first, 9)], [third]],
    ['takes the fingerprint of a thread whose lines are gone', [at(1)], [thread(first)], [first]],
    ['is the one of the two threads whose lines are there', [at(9)], [thread(first), thread(second, 9)], [second]],
    ['has the fingerprint of a thread that was raised again', [at(9)], [thread(first, 9), thread(first)], [first]],
    ['ignores threads of other findings', [at(1)], [thread('other', 1)], [first]],
  ])('%s', (_what, claims, threads, expected) => {
    expect(assignFingerprints(claims, threads)).toEqual(expected);
  });

  test('is known at lines that overlap', () => {
    const wide = { ...thread(second, 9), now: { ...placeOf(9), startLine: 7 } };
    expect(assignFingerprints([claim({ startLine: 6, line: 7 })], [thread(first, 1), wide])).toEqual([second]);
  });
});

test('claims keep their order among others', () => {
  const other = claim({ startLine: 5, line: 5, title: 'Another claim' });
  const [one, two, three] = assignFingerprints([at(1), other, at(9)], []);
  expect([one, three]).toEqual([first, second]);
  expect(new Set([one, two, three]).size).toBe(3);
});
