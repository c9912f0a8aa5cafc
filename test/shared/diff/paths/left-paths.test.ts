import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUnder, leftEntries, overlaps } from '../../../../shared/diff/paths/left-paths.ts';

test.each<[what: string, left: readonly string[], seen: readonly string[], entries: readonly string[] | null]>([
  ['files beside seen ones', ['src/b.ts', 'src/a.ts'], ['src/c.ts'], ['src/a.ts', 'src/b.ts']],
  ['a folder of which nothing was seen', ['src/a/x.ts', 'src/a/b/y.ts'], ['src/c.ts'], ['src/a/']],
  ['the outermost such folder', ['a/b/c/x.ts', 'a/b/y.ts'], ['d.ts'], ['a/']],
  ['files in the root', ['x.ts', 'y.ts'], ['a/z.ts'], ['x.ts', 'y.ts']],
  ['a name that begins like a folder', ['src/ab.ts'], ['src/a/x.ts'], ['src/ab.ts']],
  [
    'too many files, replaced by their folder',
    Array.from({ length: 61 }, (_, at) => `src/a/f${at}.ts`),
    ['src/a/seen.ts', 'src/b.ts'],
    ['src/a/'],
  ],
  ['too many files in the root', Array.from({ length: 61 }, (_, at) => `f${at}.ts`), ['seen.ts'], null],
])('%s', (_what, left, seen, entries) => {
  expect(leftEntries(left, seen)).toEqual(entries);
});

test.each<[one: string, other: string, expected: boolean]>([
  ['src/', 'src/a.ts', true],
  ['src/a.ts', 'src/', true],
  ['src/a/', 'src/', true],
  ['src/a.ts', 'src/a.ts', true],
  ['src/a.ts', 'src/a.tsx', false],
  ['src/', 'srcs/a.ts', false],
])('%s and %s overlap: %s', (one, other, expected) => {
  expect(overlaps(one, other)).toBe(expected);
});

test('many files take about linear time', () => {
  const left = Array.from({ length: 40_000 }, (_, at) => `src/a${at % 7}/b${at % 5_000}/f${at}.ts`);
  const seen = left.map((path) => path.replace('.ts', '.js'));
  const began = performance.now();
  expect(leftEntries(left, seen)).toEqual(Array.from({ length: 7 }, (_, at) => `src/a${at}/`));
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('any number of files is allowed', () => {
  const left = Array.from({ length: 200_000 }, (_, at) => `src/a/f${at}.ts`);
  expect(leftEntries(left, ['src/a/seen.ts'])).toEqual(['src/a/']);
});

test('the entries cover everything that was left out, are few, and name only seen files if there were too many', () => {
  const path = fc.stringMatching(/^(?:[abcd]\/){0,4}[a-z]{1,2}$/);
  fc.assert(
    fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 150 }), fc.nat(150), (paths, at) => {
      const [left, seen] = [paths.slice(at), paths.slice(0, at)];
      fc.pre(left.length > 0);
      const entries = leftEntries(left, seen);
      if (entries === null) {
        expect(left.length).toBeGreaterThan(60);
        return;
      }
      expect(entries.length).toBeLessThanOrEqual(60);
      for (const each of left) expect([each, isUnder(each, entries)]).toEqual([each, true]);
      const again = seen.filter((each) => isUnder(each, entries));
      if (left.length <= 60) expect(again).toEqual([]);
    }),
    { seed: 23 },
  );
});
