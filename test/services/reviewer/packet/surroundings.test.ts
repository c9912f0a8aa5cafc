import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import { commitMessages } from '../../../../services/reviewer/packet/commit-messages.ts';
import { findSurroundings } from '../../../../services/reviewer/packet/surroundings.ts';
import { gitError } from '../../../../shared/workspace/git/git.ts';
import { parseCommitMatches } from '../../../../shared/workspace/git/grep-commit.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { createReviewWorld, type Files, request, type ReviewWorld, textOf } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const commit = (message: string, files: Files): CommitSha => world.commit(files, message);

const packetOf = async (base: CommitSha, head: CommitSha, more = {}) => {
  const source = world.source();
  return { packet: await buildPacket(request(base, head, more), source), revisions: source.revisions };
};

const look = async (before: Files, after: Files) => {
  const { packet, revisions } = await packetOf(commit('Before', before), commit('After', after));
  return findSurroundings(packet, revisions, never());
};

const CART = (body: string): string =>
  textOf('import { tax } from "./tax.js";', '', 'export function total(items) {', `  ${body}`, '}');

const TREE: Files = {
  'src/cart.js': CART('return items.length;'),
  'src/tax.js': textOf('export const rate = 1;', 'export function taxOf(sum) {', '  return sum * rate;', '}'),
  'src/page.js': textOf('import { total } from "./cart.js";', '', 'show(total(all));', 'const totals = 1;'),
  'src/order.js': textOf('const all = total(1) + total(2);'),
  'test/cart.test.js': textOf('import { total } from "../src/cart.js";', 'total([]);'),
  'test/page.test.js': textOf('import "../src/page.js";'),
  'test/shop.test.js': textOf('total([1]);'),
  'docs/cart.md': 'total is explained here\n',
};

const NOTHING = { uses: [], definitions: [], tests: [], usedIn: 0 };

describe('what a change touches elsewhere', () => {
  test('are the uses of the names that it edits, the definitions that it needs, and the tests', async () => {
    const found = await look(TREE, { 'src/cart.js': CART('return taxOf(items.length);') });
    expect(found).toEqual({
      uses: ['src/order.js:1 total', 'src/page.js:3 total', 'src/page.js:1 total'],
      definitions: ['src/tax.js:2 taxOf'],
      tests: ['test/cart.test.js', 'test/shop.test.js'],
      usedIn: 2,
    });
  });

  test('are also the uses of a name that it removes', async () => {
    const { uses } = await look(TREE, { 'src/tax.js': textOf('export const rate = 1;') });
    expect(uses).toEqual([]);
    const removed = await look(TREE, { 'src/cart.js': null, 'src/tax.js': TREE['src/tax.js'] ?? '' });
    expect(removed.uses).toContain('src/order.js:1 total');
  });

  test('are at most 20 uses, 5 of a name, and 10 tests; a name that is everywhere says nothing', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `name${index}`);
    const users = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `use${index}.js`,
        textOf(...names.map((name) => `${name}();`), ...Array.from({ length: 8 }, () => 'common();')),
      ]),
    );
    const tests = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`test/t${index}.test.js`, 'name1();\n']),
    );
    const defining = (value: number): string =>
      textOf(...[...names, 'common'].map((name) => `export function ${name}() { return ${value}; }`));
    const found = await look({ 'a.js': defining(1), ...users, ...tests }, { 'a.js': defining(2) });
    expect(found.uses).toHaveLength(20);
    expect(found.uses.filter((use) => use.endsWith(' name0'))).toHaveLength(5);
    expect(found.uses.some((use) => use.endsWith(' common'))).toBe(false);
    expect(found.usedIn).toBe(12);
    expect(found.tests).toHaveLength(10);
  });

  test('are counted as files, without tests, prose, the change itself and names that are everywhere', async () => {
    const users = Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => [`use${index}.js`, textOf('total();', 'total();')]),
    );
    const many = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [
        `all${index}.js`,
        textOf(...Array.from({ length: 8 }, () => 'common();')),
      ]),
    );
    const others = { 'test/t.test.js': 'total();\n', 'notes.md': 'total();\n', ...many };
    const defining = (value: number): string =>
      textOf(`export function total() { return ${value}; }`, `export function common() { return ${value}; }`);
    const before = { 'a.js': `${defining(1)}\n\n\n\n\n\n\n\n\n\ntotal();\n`, ...users, ...others };
    const after = { 'a.js': `${defining(2)}\n\n\n\n\n\n\n\n\n\ntotal();\n` };
    expect((await look(before, after)).usedIn).toBe(7);
  });

  test.each([
    ['a compound name that only the change defines', 'taxOfItem', {}, 9],
    ['a compound name that another file defines too', 'taxOfItem', { 'b.js': 'function taxOfItem() {}\n' }, 0],
    ['a simple word', 'taxes', {}, 0],
  ])('count a name with more than 60 uses: %s', async (_what, name, more, count) => {
    const uses = textOf(...Array.from({ length: 8 }, () => `${name}();`));
    const users = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`use${index}.js`, uses]));
    const defining = (value: number): string => textOf(`export function ${name}() { return ${value}; }`);
    const found = await look({ 'a.js': defining(1), ...users, ...more }, { 'a.js': defining(2) });
    expect([found.usedIn, found.uses.length]).toEqual([count, count === 0 ? 0 : 5]);
  });

  test.each([
    ['src/users.py', 'tests/deep/test_users.py', 'import users\n'],
    ['src/User.java', 'src/deep/UserTest.java', 'import shop.User;\n'],
    ['src/user.go', 'deep/user_test.go', 'import "shop/user"\n'],
  ])('for %s name its own test %s before tests in nearer folders', async (path, own, text) => {
    const others = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`src/t${index}.test.js`, `${text}editedName();\n`]),
    );
    const before = { [path]: 'def editedName():\n  return 1\n', [own]: text, ...others };
    const found = await look(before, { [path]: 'def editedName():\n  return 2\n' });
    expect(found.tests[0]).toBe(own);
  });

  test('are those of a later push only where a hunk changed', async () => {
    const base = commit('Before', TREE);
    const first = commit('One', { 'src/cart.js': CART('return 1;') });
    const head = commit('Two', { 'src/tax.js': textOf('export function taxOf(sum) {', '  return sum;', '}') });
    const previous = { head: first, base, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const };
    const { packet, revisions } = await packetOf(base, head, { previous });
    expect(await findSurroundings(packet, revisions, never())).toEqual(NOTHING);
  });

  test('are left out when git does not answer, and are not looked for in prose', async () => {
    const base = commit('Before', TREE);
    const { packet } = await packetOf(base, commit('After', { 'src/cart.js': CART('return 2;') }));
    const slow = async () => {
      throw gitError('GIT_TIMEOUT', 'too slow', 'retry');
    };
    expect(await findSurroundings(packet, { grep: slow }, never())).toEqual(NOTHING);
    const broken = async () => {
      throw new TypeError('a mistake of ours');
    };
    await expect(findSurroundings(packet, { grep: broken }, never())).rejects.toThrow('a mistake of ours');
    const prose = await packetOf(
      base,
      commit('Prose', { 'src/cart.js': TREE['src/cart.js'] ?? '', 'docs/cart.md': 'function total()\n' }),
    );
    expect(await findSurroundings(prose.packet, { grep: broken }, never())).toEqual(NOTHING);
  });

  test('T3: a name cannot be more than a name in the search', async () => {
    const asked: string[] = [];
    const { packet } = await packetOf(
      commit('Before', {}),
      commit('After', { 'a$b.js': textOf('function $all(x) { return cmd("$(id)") + Some_Type; }', 'class -x {}') }),
    );
    const grep = async ({ pattern }: { readonly pattern: string }) => {
      asked.push(pattern);
      return [];
    };
    await findSurroundings(packet, { grep }, never());
    expect(asked).toHaveLength(1);
    expect(asked[0]?.split('|')[0]).toBe('(\\$all)');
    expect(asked[0]).toContain('(cmd|Some_Type)');
    expect(asked[0]).not.toContain('$(id)');
  });
});

describe('commit messages', () => {
  const told = { title: 'A change', description: '' };
  const messagesOf = async (base: CommitSha, head: CommitSha, more = {}, said = told) => {
    const { packet, revisions } = await packetOf(base, head, more);
    return commitMessages({ packet, told: said }, revisions, never());
  };

  test('are told newest first, with a short body and without trailers', async () => {
    const base = commit('Begin', { a: '1\n' });
    const one = commit('Guard the cart\n\nIt was empty in #7.\n\nSigned-off-by: A <a@b.c>', { a: '2\n' });
    const head = commit(`${'s'.repeat(200)}\n\n${'b'.repeat(900)}`, { a: '3\n' });
    const [newest = '', oldest] = await messagesOf(base, head);
    expect(oldest).toBe(`${one.slice(0, 10)} Guard the cart\n  It was empty in #7.`);
    expect(newest).toBe(`${head.slice(0, 10)} ${'s'.repeat(120)}…\n  ${'b'.repeat(400)}…`);
    const previous = { head: one, base, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const };
    expect(await messagesOf(base, head, { previous })).toEqual([`${head.slice(0, 10)} ${'s'.repeat(120)}…`]);
  });

  test('are left out when they say what the title says, and limited in number and size', async () => {
    const base = commit('Begin', { a: '1\n' });
    const head = commit('Guard the cart\n\nWhy.', { a: '2\n' });
    expect(await messagesOf(base, head, {}, { title: 'Guard the cart', description: 'Why.\nMore.' })).toEqual([]);
    expect(await messagesOf(base, head, {}, { title: 'Guard the cart', description: '' })).toHaveLength(1);
    let last = head;
    for (let index = 0; index < 25; index += 1) last = commit(`Step ${index}`, { a: `${index}+\n` });
    const many = await messagesOf(base, last);
    expect(many).toHaveLength(20);
    expect(many[0]).toMatch(/ Step 24$/);
  });

  test('are left out when git does not answer', async () => {
    const base = commit('Begin', { a: '1\n' });
    const { packet } = await packetOf(base, commit('More', { a: '2\n' }));
    const commits = async () => {
      throw gitError('GIT_TIMEOUT', 'too slow', 'retry');
    };
    expect(await commitMessages({ packet, told }, { commits }, never())).toEqual([]);
  });
});

test('matches of a commit are read up to the first record that is not whole', () => {
  // A full commit id.
  const sha = 'a'.repeat(40) as CommitSha;
  const output = `${sha}:src/a b.js\u000012\0one\ntwo\n`;
  expect(parseCommitMatches(output, sha)).toEqual([{ path: 'src/a b.js', line: 12, text: 'one' }]);
  expect(parseCommitMatches(`${sha}:a\u00001\0x\n${sha}:b\u00002\0cut`, sha)).toEqual([
    { path: 'a', line: 1, text: 'x' },
  ]);
  expect(parseCommitMatches('', sha)).toEqual([]);
});
