import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PlanFile, planParts } from '../../../../services/reviewer/parts/plan-parts.ts';
import { importedFiles, testedFiles } from '../../../../services/reviewer/parts/related-files.ts';
import { isRisky } from '../../../../services/reviewer/parts/risk.ts';

const file = (path: string, bytes: number, more: Partial<PlanFile> = {}): PlanFile => ({
  path,
  bytes,
  changedLines: bytes,
  ...more,
});

const pathsIn = (files: readonly PlanFile[], maxBytes: number): readonly (readonly string[])[] =>
  planParts(files, maxBytes).map(({ files: members }) => members.map((at) => files[at]?.path ?? ''));

describe('the plan of a large change', () => {
  test.each<[what: string, files: readonly PlanFile[], parts: readonly (readonly string[])[]]>([
    ['nothing', [], []],
    ['what fits into one part', [file('a/x.ts', 4), file('b/y.ts', 5)], [['a/x.ts', 'b/y.ts']]],
    [
      'a folder that stays together',
      [file('a/x.ts', 6), file('b/y.ts', 5), file('a/z.ts', 3)],
      [['a/x.ts', 'a/z.ts'], ['b/y.ts']],
    ],
    [
      'a test that goes with what it tests',
      [
        file('src/big.ts', 8),
        file('src/user.ts', 4),
        file('test/other.test.ts', 7),
        file('test/user.test.ts', 3, { tests: ['src/user.ts'] }),
      ],
      [['src/big.ts'], ['src/user.ts', 'test/user.test.ts'], ['test/other.test.ts']],
    ],
    [
      'a file that goes with what imports it',
      [
        file('app/page.ts', 4, { imports: ['lib/user.ts'] }),
        file('lib/other.ts', 8),
        file('lib/user.ts', 5),
        file('zoo/z.ts', 6),
      ],
      [['app/page.ts', 'lib/user.ts'], ['lib/other.ts'], ['zoo/z.ts']],
    ],
    ['a file that is larger than a part', [file('a/x.ts', 12), file('b/y.ts', 1)], [['a/x.ts'], ['b/y.ts']]],
    [
      'risk before size, and prose last',
      [file('docs/a.md', 9), file('src/big.ts', 8), file('src/auth/login.ts', 6)],
      [['src/auth/login.ts'], ['src/big.ts'], ['docs/a.md']],
    ],
    [
      'a thread that needs an answer before risk',
      [file('src/auth/login.ts', 6), file('src/small.ts', 5, { urgent: true })],
      [['src/small.ts'], ['src/auth/login.ts']],
    ],
  ])('%s', (_what, files, parts) => {
    expect(pathsIn(files, 10)).toEqual(parts);
  });

  const anyFile = fc
    .record({
      path: fc.stringMatching(/^(?:[abc]\/){0,3}[a-e]\.(?:ts|md)$/),
      bytes: fc.integer({ min: 1, max: 60 }),
      changedLines: fc.integer({ min: 0, max: 90 }),
      urgent: fc.boolean(),
    })
    .map((each): PlanFile => each);
  const anyFiles = fc.uniqueArray(anyFile, { maxLength: 40, selector: ({ path }) => path }).chain((files) =>
    fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 20 }).map((edges) => {
      const imports = (at: number): readonly string[] =>
        edges.flatMap(([from, to]) => (from === at ? (files[to]?.path ?? []) : []));
      return files.map((each, at) => ({ ...each, imports: imports(at) }));
    }),
  );

  test('has every file in exactly one part, and no part that is larger than allowed unless its one file is', () => {
    fc.assert(
      fc.property(anyFiles, fc.integer({ min: 20, max: 100 }), (files, maxBytes) => {
        const parts = planParts(files, maxBytes);
        const members = parts.flatMap((part) => part.files);
        expect(members.toSorted((one, two) => one - two)).toEqual(files.map((_, at) => at));
        for (const { files: own, bytes, changedLines } of parts) {
          expect(bytes).toBe(own.reduce((sum, at) => sum + (files[at]?.bytes ?? 0), 0));
          expect(changedLines).toBe(own.reduce((sum, at) => sum + (files[at]?.changedLines ?? 0), 0));
          expect(bytes <= maxBytes || own.length === 1).toBe(true);
        }
      }),
      { seed: 18 },
    );
  });

  test('wastes at most half of the room: two parts never fit into one', () => {
    fc.assert(
      fc.property(anyFiles, fc.integer({ min: 60, max: 100 }), (files, maxBytes) => {
        const sizes = planParts(files, maxBytes).map(({ bytes }) => bytes);
        const smallest = sizes.toSorted((one, two) => one - two).slice(0, 2);
        expect(smallest.length < 2 || (smallest[0] ?? 0) + (smallest[1] ?? 0) > maxBytes).toBe(true);
      }),
      { seed: 19 },
    );
  });

  test('is the same every time', () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        expect(planParts(structuredClone(files), 70)).toEqual(planParts(files, 70));
      }),
      { seed: 20 },
    );
  });
});

describe('what belongs together', () => {
  test.each<[test: string, tested: string | undefined]>([
    ['src/user.test.ts', 'src/user.ts'],
    ['test/src/user.test.ts', 'src/user.ts'],
    ['tests/test_cart.py', 'shop/cart.py'],
    ['src/UserTest.java', 'src/User.java'],
    ['test/support.ts', undefined],
  ])('%s tests %s', (path, tested) => {
    const files = ['src/user.ts', 'lib/user.ts', 'shop/cart.py', 'src/User.java', path];
    const candidates = path.endsWith('.java') ? files.filter((each) => each.endsWith('.java')) : files;
    expect(
      testedFiles(candidates.filter((each) => each !== 'src/User.java' || path.endsWith('.java'))).get(path),
    ).toEqual(tested === undefined ? undefined : [tested]);
  });

  test.each<[path: string, text: string, imported: readonly string[] | undefined]>([
    ['src/app.ts', "import { user } from './lib/user.ts';", ['src/lib/user.ts']],
    ['src/app.ts', "const user = require('./lib/user')", ['src/lib/user.ts']],
    ['src/app.ts', "export * from '../src/lib/user.js';", ['src/lib/user.ts']],
    ['shop/page.py', 'from shop.cart import total', ['shop/cart.py']],
    ['src/main.c', '#include "net/http.h"', ['net/http.h']],
    ['src/app.ts', "import express from 'express';", undefined],
    ['src/app.ts', '// nothing', undefined],
  ])('%s with %s imports %j', (path, text, imported) => {
    const others = ['src/lib/user.ts', 'shop/cart.py', 'net/http.h'].map((each) => ({ path: each, text: '' }));
    expect(importedFiles([...others, { path, text }]).get(path)).toEqual(imported);
  });

  test.each<[path: string, risky: boolean]>([
    ['src/auth/login.ts', true],
    ['src/resetPassword.ts', true],
    ['db/0001_users.sql', true],
    ['src/billing/invoice.py', true],
    ['docs/auth.md', false],
    ['src/author.ts', false],
    ['src/view.ts', false],
  ])('%s is risky: %s', (path, risky) => {
    expect(isRisky(path)).toBe(risky);
  });
});
