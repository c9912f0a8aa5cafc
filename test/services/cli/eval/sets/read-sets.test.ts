/** The loaders, on small sets of our own in the formats of the public ones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAacr } from '../../../../../services/cli/eval/sets/read-aacr.ts';
import { readBugsInPy } from '../../../../../services/cli/eval/sets/read-bugsinpy.ts';
import { readCaseFolder } from '../../../../../services/cli/eval/sets/read-case-folder.ts';
import { readMartian } from '../../../../../services/cli/eval/sets/read-martian.ts';
import { readSecbench } from '../../../../../services/cli/eval/sets/read-secbench.ts';
import { temporaryFolder } from '../../../../shared/workspace/repository.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.dispose());

const put = (files: Readonly<Record<string, unknown>>): string => {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder.path;
};

test('Martian: labels without a place, from the head of the pull request', async () => {
  const root = put({
    'offline/golden_comments/grafana.json': [
      {
        pr_title: 'Cache the plans',
        url: 'https://forge.example/shop/Plans/pull/7',
        comments: [
          { comment: 'The cache is never cleared', severity: 'Critical' },
          { comment: 'Unused variable', severity: 'Low' },
        ],
      },
      { pr_title: 'x', url: 'https://forge.example/shop/plans/issues/8', comments: [] },
      { pr_title: 'y', url: 'https://forge.example/shop/plans/pull/9', comments: [] },
    ],
  });
  const { cases, refused } = await readMartian(root);
  expect(cases).toMatchObject([
    {
      id: 'martian-plans-7',
      set: 'martian',
      licence: 'MIT',
      language: 'Go',
      title: 'Cache the plans',
      change: {
        kind: 'commits',
        repository: { kind: 'fetch', url: 'https://forge.example/shop/Plans' },
        base: 'HEAD',
        head: 'refs/pull/7/head',
      },
      golden: [
        { text: 'The cache is never cleared', severity: 'P0' },
        { text: 'Unused variable', severity: 'P3' },
      ],
    },
  ]);
  expect(refused).toEqual([
    { id: 'https://forge.example/shop/plans/issues/8', why: 'its address is not that of a pull request' },
    { id: 'martian-plans-9', why: 'it has no label' },
  ]);
});

test('AACR: places, categories as severities, and the target commit as the head', async () => {
  const comment = { note: 'Leaks', path: 'a.go', side: 'right', from_line: 9, to_line: 4, category: 'Code Defect' };
  const root = put({
    'dataset/positive_samples.json': [
      {
        change_line_count: 63,
        project_main_language: 'Go',
        source_commit: 'b'.repeat(40),
        target_commit: 'a'.repeat(40),
        githubPrUrl: 'https://forge.example/shop/plans/pull/7',
        comments: [comment, { ...comment, side: 'left', from_line: 2, to_line: null, category: 'Performance' }],
      },
    ],
  });
  const { cases } = await readAacr(root);
  expect(cases).toMatchObject([
    {
      id: 'aacr-shop-plans-7',
      licence: 'Apache-2.0',
      changedLines: 63,
      change: { base: 'b'.repeat(40), head: 'a'.repeat(40), compare: 'merge_base' },
      golden: [
        { path: 'a.go', from: 4, to: 9, side: 'new', severity: 'P1', category: 'Code Defect' },
        { path: 'a.go', from: 2, to: 2, side: 'old', severity: 'P2' },
      ],
    },
  ]);
});

const FIX = `diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -10,4 +10,4 @@ def total(items):
     sum = 0
-    for item in items[1:]:
-        sum += item.price
+    for item in items:
+        sum += item.price * item.count
     return sum
@@ -30,2 +30,4 @@ def first(items):
     check(items)
+    if not items:
+        return None
     return items[0]
`;

test('BugsInPy: the fix is taken back, and each of its hunks is a label where the bug is', async () => {
  const root = put({
    'projects/shop/project.info': 'github_url="https://forge.example/shop/shop/"\nstatus="OK" \n',
    'projects/shop/bugs/2/bug.info': `python_version="3.8"\nbuggy_commit_id="${'b'.repeat(40)}"\nfixed_commit_id = "${'f'.repeat(40)}"\n`,
    'projects/shop/bugs/2/bug_patch.txt': FIX,
    'projects/shop/bugs/10/bug.info': `fixed_commit_id="${'f'.repeat(40)}"\n`,
    'projects/shop/bugs/10/bug_patch.txt': 'diff --git a/x b/x\n@@ nonsense\n',
    'projects/shop/bugs/11/bug.info': 'python_version="3.8"\n',
    'projects/shop/bugs/11/bug_patch.txt': FIX,
    'projects/shop/bugs/12/run_test.sh': '',
    'projects/lost/bugs/1/bug.info': '',
  });
  const { cases, refused } = await readBugsInPy(root);
  expect(cases).toMatchObject([
    {
      id: 'bugsinpy-shop-2',
      licence: 'none stated',
      change: {
        kind: 'patch',
        repository: { kind: 'fetch', url: 'https://forge.example/shop/shop' },
        base: 'f'.repeat(40),
        patch: FIX,
        reverse: true,
      },
      golden: [
        { path: 'shop/cart.py', from: 11, to: 12 },
        { path: 'shop/cart.py', from: 31, to: 31 },
      ],
    },
  ]);
  expect(refused).toEqual([
    { id: 'bugsinpy-lost', why: 'the project has no project.info' },
    { id: 'bugsinpy-shop-10', why: 'bug_patch.txt is not a patch' },
    { id: 'bugsinpy-shop-11', why: 'bug.info names no fixed_commit_id' },
    { id: 'bugsinpy-shop-12', why: 'bug.info or bug_patch.txt is missing' },
  ]);
});

test('SecBench: a whole package, with the sink as its label', async () => {
  const described = (sink: string | undefined, dependencies = { '@shop/run': '1.2.0' }) => ({ dependencies, sink });
  const root = put({
    'code-injection/run_1.2.0/package.json': described('lib/run.js:6:10'),
    'command-injection/run_1.2.0/package.json': described('./set.js:36'),
    'path-traversal/run_1.2.0/package.json': described(undefined),
    'prototype-pollution/run_1.2.0/package.json': described('a.js:1:1', { a: '1.0.0', b: '1.0.0' } as never),
    'prototype-pollution/NOTES.md': 'x',
    'redos/run_1.2.0/package.json': 'not JSON',
    'redos/trim_1.2.0/package.json': described('trim/lib/trim.js:3:1', { '@shop/trim': '1.2.0' } as never),
  });
  const { cases, refused } = await readSecbench(root);
  expect(cases).toMatchObject([
    {
      id: 'secbench-code-injection-run_1.2.0',
      change: { kind: 'package', name: '@shop/run', version: '1.2.0' },
      golden: [{ path: 'lib/run.js', pathEnd: true, from: 6, category: 'code-injection', severity: 'P1' }],
    },
    { golden: [{ path: 'lib/trim.js', from: 3 }] },
  ]);
  expect(refused.map(({ why }) => why)).toEqual([
    'package.json names no line of the sink',
    'package.json names no line of the sink',
    'it is not about exactly one package',
    'package.json names no dependency',
  ]);
});

test('a folder of one’s own: set, licence and paths have defaults', async () => {
  const root = put({
    'go/leak.yaml': `
id: leak
kind: defect
language: Go
change: { kind: commits, repository: { kind: path, path: ../../shop }, base: v1, head: 1234567 }
golden:
  - { path: a.go, from: 3, text: The file stays open., severity: P1 }
`,
    'two.yml': `
- { id: a, kind: clean, language: Go, change: { kind: files, files: [{ path: a.go, before: null, after: x }] }, golden: [] }
- { id: b, kind: clean, language: Go, change: { kind: package, name: a, version: 1.0.0 }, golden: [], licence: MIT }
`,
  });
  const { cases } = await readCaseFolder(root);
  const set = cases[0]?.set;
  expect(set).toMatch(/^fixpoint-test-/);
  expect(cases).toMatchObject([
    {
      id: 'leak',
      licence: 'own',
      change: { repository: { kind: 'path', path: join(root, '../shop') }, base: 'v1', head: '1234567' },
    },
    { id: 'a', set },
    { id: 'b', licence: 'MIT' },
  ]);
});

test('mistakes in a folder of one’s own are reported together, with their lines', async () => {
  const root = put({
    'a.yaml':
      'id: a\nkind: defect\nlanguage: Go\nchange:\n  kind: package\n  name: a\n  version: "1.0.0"\ngolden:\n  - text: x\n    severity: P9\n',
    'b.yaml': 'id: [\n',
  });
  await expect(readCaseFolder(root)).rejects.toThrow(
    /^a\.yaml: line 10: golden\[0\]\.severity Invalid option.*\nb\.yaml: line \d: /,
  );
});

test.each([
  ['martian', readMartian],
  ['aacr', readAacr],
  ['bugsinpy', readBugsInPy],
  ['secbench', readSecbench],
  ['a folder', readCaseFolder],
])('%s says which file or folder is missing', async (_name, read) => {
  await expect(read(join(folder.path, 'nowhere'))).rejects.toThrow(/nowhere.* cannot be read: file not found/);
});
