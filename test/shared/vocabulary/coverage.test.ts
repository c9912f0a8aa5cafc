import { expect, test } from 'vitest';
import { onePerPath } from '../../../shared/vocabulary/coverage.ts';

test('of several entries for a path the first one counts, and the order stays', () => {
  const entry = (path: string, reason: string) => ({ path, reason });
  expect(onePerPath([entry('b', '1'), entry('a', '1'), entry('b', '2'), entry('c', '1'), entry('a', '2')])).toEqual([
    entry('b', '1'),
    entry('a', '1'),
    entry('c', '1'),
  ]);
  expect(onePerPath([])).toEqual([]);
});
