import { describe, expect, it } from 'vitest';
import { isTestPath } from '../../../../shared/rules/model/language.ts';
import { findUncheckedLines } from '../../../../shared/rules/unchecked-lines.ts';

describe('isTestPath', () => {
  it.each([
    'src/Shop.Tests/Cart.cs',
    'src/Shop.IntegrationTests/Cart.cs',
    'src/CartTests.cs',
    'app/src/androidTest/java/Cart.kt',
    'app/src/commonTest/Cart.kt',
    'src/CartTest.kt',
    'internal/testutil/server.go',
    'src/mocks/server.ts',
    'cypress/support/login.js',
    'demo/app.js',
    'shop/tests.py',
    'src/Button.stories.tsx',
    '_fixture/certs/key.pem',
    'src/__fixtures__/login.json',
    'shop-core/integration-tests/login.py',
    'app/src/integrationTest/java/Cart.java',
    'app/src/testFixtures/java/Cart.java',
    'Sources/CartTests.swift',
  ])('takes %s for a test', (path) => {
    expect(isTestPath(path)).toBe(true);
  });

  it.each([
    'src/latest/Cart.kt',
    'src/contest/Cart.kt',
    'contests/a.py',
    'src/Shop.Latest/Cart.cs',
    'src/Tested.cs',
    'src/attest.py',
    'src/mocking/a.ts',
  ])('takes %s for production code', (path) => {
    expect(isTestPath(path)).toBe(false);
  });
});

describe('findUncheckedLines', () => {
  it.each([
    ['a.cs', 'class A { void F() { } }\n', 'class A { void F( { ]\n'],
    ['a.rs', 'fn f() {}\n', 'fn f( { ]\n'],
    ['a.kt', 'fun f() {}\n', 'fun f( { ]\n'],
    ['a.c', 'int f(void) { return 1; }\n', 'int f( { ]\n'],
    ['a.h', 'class A { int f(); };\n', 'class A { int f( [ };\n'],
  ])('reads %s, and names the lines that it cannot read', async (path, good, bad) => {
    const signal = new AbortController().signal;
    expect(await findUncheckedLines([{ path, text: good }], signal)).toEqual(new Map([[path, []]]));
    const broken = (await findUncheckedLines([{ path, text: bad }], signal)).get(path);
    expect(broken?.map(({ startLine }) => startLine)).toContain(1);
  });

  it.each(['Dockerfile', 'main.tf', 'a.sql', 'a.vue', '.gitlab-ci.yml'])(
    'names the lines of %s that are too long for the line rules',
    async (path) => {
      const signal = new AbortController().signal;
      const text = `# a\n# ${'a'.repeat(2_000)}\n# ${'a'.repeat(1_998)}\n`;
      expect(await findUncheckedLines([{ path, text }], signal)).toEqual(
        new Map([[path, [{ startLine: 2, endLine: 2 }]]]),
      );
    },
  );
});
