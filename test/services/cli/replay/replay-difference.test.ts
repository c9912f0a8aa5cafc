import { expect, test } from 'vitest';
import { firstDifference } from '../../../../services/cli/replay/replay-difference.ts';

test.each<[unknown, unknown, string | null]>([
  [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, null],
  [{ a: 1 }, { a: 2 }, 'a'],
  [{ a: { b: [{ c: 1 }, { c: 2 }] } }, { a: { b: [{ c: 1 }, { c: 3 }] } }, 'a.b[1].c'],
  [[1, 2], [1], '[1]'],
  [[1], [1, 2], '[1]'],
  [{ a: 1 }, {}, 'a'],
  [{}, { a: null }, 'a'],
  [{ a: [] }, { a: {} }, 'a'],
  [null, { a: 1 }, ''],
  ['one', 'two', ''],
])('%j and %j part at %s', (stored, replayed, at) => {
  expect(firstDifference(stored, replayed)?.at ?? null).toBe(at);
});

test('shows both values, cut, and says where there is none', () => {
  const found = firstDifference({ text: 'x'.repeat(1000) }, {});
  expect(found).toEqual({ at: 'text', stored: `"${'x'.repeat(199)}…`, replayed: 'nothing' });
});
