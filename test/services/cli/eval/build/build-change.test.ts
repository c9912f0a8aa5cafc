/** Cases become two commits: from a repository, a patch, inline files, or a package, with real git and a real server. */
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildChange, type BuildPlace, type BuiltChange } from '../../../../../services/cli/eval/build/build-change.ts';
import { findClone } from '../../../../../services/cli/eval/build/find-clone.ts';
import { EvalChange } from '../../../../../shared/eval/case.ts';
import { createGit } from '../../../../../shared/workspace/git/git.ts';
import {
  createRepository,
  GIT,
  never,
  type Repository,
  temporaryFolder,
} from '../../../../shared/workspace/repository.ts';
import { serveGit } from '../../../../support/git-http.ts';

let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;
let place: BuildPlace;
let base: string;
let head: string;

const lines = (...changed: readonly [number, string][]): string => {
  const all = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  for (const [line, text] of changed) all[line - 1] = text;
  return `${all.join('\n')}\n`;
};

/** `main`: base, another commit, and a merge of `topic`, which has the head. */
beforeAll(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'shop/plans'));
  repository.write({ 'a.txt': lines(), 'gone.txt': 'x\n' });
  base = repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'topic');
  repository.write({ 'a.txt': lines([3, 'changed']), 'gone.txt': null });
  head = repository.commit('topic');
  repository.git('checkout', '--quiet', 'main');
  repository.write({ 'other.txt': 'x\n' });
  repository.commit('other');
  repository.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'topic');
  for (const name of ['scratch', 'fetched']) mkdirSync(join(folder.path, name));
  place = {
    scratchFolder: join(folder.path, 'scratch'),
    repositories: folder.path,
    fetchedFolder: join(folder.path, 'fetched'),
    casesFolder: folder.path,
    gitPath: GIT,
    env: {},
  };
});
afterAll(() => folder.dispose());

const HERE = { kind: 'path', path: 'shop/plans' };

const build = async (change: unknown, more: { changedLines?: number; at?: Partial<BuildPlace> } = {}) =>
  buildChange(
    {
      change: EvalChange.parse(change),
      ...(more.changedLines === undefined ? {} : { changedLines: more.changedLines }),
    },
    { ...place, ...more.at },
    never(),
  );

const diffOf = async ({ directory, base: from, head: to }: BuiltChange): Promise<string> => {
  const git = createGit({ gitPath: GIT, gitDir: directory, allowProtocols: [] });
  const { stdout } = await git.run(['diff', '--no-color', '-U0', '--no-prefix', `${from}...${to}`], {}, never());
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => /^[-+]/.test(line))
    .map((line) => line.trimEnd())
    .join('\n');
};

const CHANGED = '--- a.txt\n+++ a.txt\n-line 3\n+changed\n--- gone.txt\n+++ /dev/null\n-x';

test('commits are reviewed from their merge base', async () => {
  const built = await build({ kind: 'commits', repository: HERE, base: 'main~1', head: 'topic' });
  expect(built).toMatchObject({ base, head });
  expect(await diffOf(built)).toBe(CHANGED);
});

test('a head that the target has merged is reviewed against the target before the merge', async () => {
  const built = await build({ kind: 'commits', repository: HERE, base: 'main', head: 'topic' });
  expect(built).toMatchObject({ base, head });
});

test('a head that is part of the target without a merge cannot be built', async () => {
  await expect(build({ kind: 'commits', repository: HERE, base: 'main~1', head: base })).rejects.toThrow(
    'the head is part of the base, and no merge commit shows what the base was before',
  );
});

test('trees are compared as they are, in whichever order they were committed', async () => {
  const built = await build({ kind: 'commits', repository: HERE, base: head, head: base, compare: 'trees' });
  expect(await diffOf(built)).toBe('--- a.txt\n+++ a.txt\n-changed\n+line 3\n--- /dev/null\n+++ gone.txt\n+x');
});

test('a change of another size than the set says is refused', async () => {
  const change = { kind: 'commits', repository: HERE, base: 'main~1', head: 'topic' };
  await expect(build(change, { changedLines: 7 })).rejects.toThrow(
    'the change has 3 lines, but 7 according to the set',
  );
  expect(await build(change, { changedLines: 6 })).toMatchObject({ head });
});

const PATCH =
  'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -2,3 +2,3 @@\n line 2\n-line 3\n+changed\n line 4\n';

test('a patch is applied to the base, or taken back there', async () => {
  const change = { kind: 'patch', repository: HERE, patch: PATCH };
  expect(await diffOf(await build({ ...change, base }))).toBe('--- a.txt\n+++ a.txt\n-line 3\n+changed');
  const back = await build({ ...change, base: head, reverse: true });
  expect(await diffOf(back)).toBe('--- a.txt\n+++ a.txt\n-changed\n+line 3');
  await expect(build({ ...change, base: head })).rejects.toThrow(`the patch does not apply to ${head}`);
});

test('a file that becomes a folder, and a folder that becomes a file, are what the case says', async () => {
  const built = await build({
    kind: 'files',
    files: [
      { path: 'a/b', before: null, after: 'one\n' },
      { path: 'a', before: 'two\n', after: null },
      { path: 'c', before: null, after: 'three\n' },
      { path: 'c/d', before: 'four\n', after: null },
    ],
  });
  expect((await diffOf(built)).split('\n').toSorted()).toEqual([
    '+++ /dev/null',
    '+++ /dev/null',
    '+++ a/b',
    '+++ c',
    '+one',
    '+three',
    '--- /dev/null',
    '--- /dev/null',
    '--- a',
    '--- c/d',
    '-four',
    '-two',
  ]);
});

test('inline files become two trees, whatever their names are', async () => {
  const built = await build({
    kind: 'files',
    files: [
      { path: 'new "name" \\ ü.txt', before: null, after: 'a\n' },
      { path: 'old.txt', before: 'b\n', after: null },
      { path: 'same.txt', before: 'c\n', after: 'c\n' },
    ],
  });
  expect(await diffOf(built)).toBe(
    '--- /dev/null\n+++ "new \\"name\\" \\\\ \\303\\274.txt"\n+a\n--- old.txt\n+++ /dev/null\n-b',
  );
});

test('a repository is fetched once, with its pull request and its default branch', async () => {
  repository.git('update-ref', 'refs/pull/7/head', head);
  repository.git('clone', '--quiet', '--mirror', '.', join(folder.path, 'served/shop/plans.git'));
  const server = await serveGit({ root: join(folder.path, 'served') });
  const change = {
    kind: 'commits',
    repository: { kind: 'fetch', url: `${server.url}/shop/plans.git` },
    base: 'HEAD',
    head: 'refs/pull/7/head',
  };
  try {
    expect(await build(change, { at: { repositories: null } })).toMatchObject({ base, head });
    const asked = server.requests.length;
    expect(await build({ ...change, head }, { at: { repositories: null } })).toMatchObject({ base, head });
    expect(server.requests).toHaveLength(asked);
    const missing = { ...change, head: 'refs/pull/8/head' };
    await expect(build(missing, { at: { repositories: null } })).rejects.toThrow(/refs\/pull\/8\/head/);
  } finally {
    await server.close();
  }
});

test.each<[string, (gitDir: string) => void]>([
  ['before the repository was made', () => {}],
  ['before its HEAD was set', (gitDir) => void repository.git('init', '--quiet', '--bare', gitDir)],
])('a fetch that an earlier run began and was killed %s is done again', async (_when, begin) => {
  const server = await serveGit({ root: join(folder.path, 'served') });
  const fetchedFolder = mkdtempSync(join(folder.path, 'killed-'));
  mkdirSync(join(fetchedFolder, 'shop+plans.git'));
  begin(join(fetchedFolder, 'shop+plans.git'));
  const url = `${server.url}/shop/plans.git`;
  try {
    const change = { kind: 'commits', repository: { kind: 'fetch', url }, base: 'HEAD', head };
    expect(await build(change, { at: { repositories: null, fetchedFolder } })).toMatchObject({ base, head });
  } finally {
    await server.close();
  }
});

test('a clone of the user is preferred to a fetch, and must have the commits', async () => {
  const change = {
    kind: 'commits',
    repository: { kind: 'fetch', url: 'https://forge.example/shop/plans' },
    base: 'main',
  };
  expect(await build({ ...change, head: 'topic' })).toMatchObject({ head });
  await expect(build({ ...change, head: 'f'.repeat(40) })).rejects.toThrow(
    `the repository has no commit named ${'f'.repeat(40)}`,
  );
});

test.each([
  ['https://forge.example/shop/plans.git', 'shop/plans'],
  ['https://forge.example/x/shop/plans/', 'shop/plans'],
  ['https://forge.example/shop/..', null],
  ['https://forge.example/plans', null],
])('the clone of %s is looked for as %s', async (url, expected) => {
  const found = await findClone(folder.path, url);
  expect(found).toBe(expected === null ? null : join(folder.path, expected));
});

test('a package is a new change with all its files', async () => {
  const bin = join(folder.path, 'bin');
  const source = join(folder.path, 'package');
  mkdirSync(bin);
  mkdirSync(source);
  writeFileSync(join(source, 'index.js'), 'run();\n');
  // Stands for npm: the real one would ask a registry.
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh\ncase "$*" in *broken*) exit 1;; esac\nexec tar -czf "$5/plans-1.0.0.tgz" -C "${folder.path}" package\n`,
  );
  chmodSync(join(bin, 'npm'), 0o755);
  const at = { env: { PATH: `${bin}:/usr/bin:/bin` } };
  const built = await build({ kind: 'package', name: '@shop/plans', version: '1.0.0' }, { at });
  expect(await diffOf(built)).toBe('--- /dev/null\n+++ index.js\n+run();');
  await expect(build({ kind: 'package', name: 'broken', version: '1.0.0' }, { at })).rejects.toThrow(
    'npm pack broken@1.0.0 failed',
  );
  await expect(build({ kind: 'package', name: 'plans', version: '1.0.0' })).rejects.toThrow(
    'npm is not installed, or not on PATH',
  );
});
