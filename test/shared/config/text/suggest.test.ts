import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearestWord } from '../../../../shared/config/text/suggest.ts';

const runs = { seed: 7, numRuns: process.env['FIXPOINT_DEEP'] === '1' ? 2000 : 100 };
const word = fc.string({ maxLength: 12 });

test.each<[from: string, to: string, distance: number]>([
  ['', '', 0],
  ['', 'abc', 3],
  ['max', 'max', 0],
  ['mxa', 'max', 1],
  ['prot', 'port', 1],
  ['levl', 'level', 1],
  ['kitten', 'sitting', 3],
])('from %j to %j it takes %i edits', (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
});

test('the distance is symmetric, zero only for equal words, and bounded by the longer one', () => {
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
    runs,
  );
});

test('the nearest word is proposed, and nothing when none is near', () => {
  const known = ['max', 'max_runs', 'thread_count'];
  expect(nearestWord('maxRuns', known)).toBe('max_runs');
  expect(nearestWord('threads_count', known)).toBe('thread_count');
  expect(nearestWord('zebra', known)).toBeNull();
  expect(nearestWord('x', [])).toBeNull();
});
