/** A pass rests on lines that somebody looked at: rows F-A3 to F-A7 and F-C1. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modelLook } from '../../../../services/reviewer/packet/looked.ts';
import type { Runner } from '../../../../services/reviewer/run/runner.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { omittedOf, reviewBy, rulesOf, silentModel } from '../receipts-stage.ts';
import { createReviewWorld, type Files, numbered, type ReviewWorld, textOf } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

/** Built at run time: no scanner shall find it here. */
const TOKEN = ['glpat', 'aB3dE5fG7hI9jK1lM3nO'].join('-');
const EVAL = 'eval(location.hash);\n';
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const utf16be = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]);

const change = async (files: Files, asked: Partial<Parameters<typeof reviewBy>[1]> = {}, before: Files = {}) => {
  const base = world.commit({ 'kept.txt': 'kept\n', ...before });
  return reviewBy(world, { base, head: world.commit(files), ...asked });
};

describe('F-A3: a source file that git calls binary', () => {
  test.each<[string, string, Files, readonly string[]]>([
    ['JavaScript behind a NUL', 'a.mjs', { 'a.mjs': `/*\0*/\n${EVAL}` }, ['a.mjs:2 js-eval']],
    ['a shell script with a NUL in a word', 'x.sh', { 'x.sh': 'ev\0al "$1"\n' }, ['x.sh:1 sh-eval-variable']],
    [
      'Python in UTF-16',
      'a.py',
      { 'a.py': utf16('import os\nos.system("ls " + request.args["name"])\n') },
      ['a.py:2 py-shell-by-string'],
    ],
    ['a script without an ending', 'tool', { tool: `#!/usr/bin/env node\n//\0\n${EVAL}` }, ['tool:3 js-eval']],
  ])('of %s is read as text', async (_name, path, files, found) => {
    const reviewed = await change(files);
    expect(rulesOf(reviewed)).toEqual(found);
    expect(reviewed.draft.findings[0]).toMatchObject({
      position: null,
      unplaced: 'the forge shows no lines of this file',
    });
    expect(reviewed.draft.coverage.lines?.find((file) => file.path === path)?.lines).toMatchObject([
      { seenBy: 'rules' },
    ]);
    expect(reviewed.judgement.verdict).toBe('feedback');
  });

  test.each([
    ['little', utf16],
    ['big', utf16be],
  ])('in UTF-16, %s endian, hides no token', async (_name, encode) => {
    const reviewed = await change({ 'deploy.ps1': encode(`$t = "${TOKEN}"\r\n`) });
    expect(rulesOf(reviewed)).toEqual(['deploy.ps1:1 secret-gitlab']);
  });

  test('that held a NUL before is compared line by line', async () => {
    const before = `/*\0*/\n${textOf(...numbered(20))}`;
    const reviewed = await change({ 'a.js': before.replace('const line9 = 9;', EVAL.trim()) }, {}, { 'a.js': before });
    expect(rulesOf(reviewed)).toEqual(['a.js:10 js-eval']);
    expect(reviewed.draft.coverage.lines).toMatchObject([
      {
        lines: [
          { side: 'old', startLine: 10, line: 10 },
          { side: 'new', startLine: 10, line: 10 },
        ],
      },
    ]);
  });

  test.each<[string, Buffer]>([
    ['UTF-16 without a mark', Buffer.from(`const t = "${TOKEN}";\n`, 'utf16le')],
    ['UTF-32', Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from(`e\0\0\0v\0\0\0a\0\0\0l\0\0\0`)])],
    ['no encoding at all', Buffer.from(Array.from({ length: 900 }, (_, index) => (index * 7919) % 256))],
  ])('in %s is left out by name, and the review is no pass', async (_name, content) => {
    const reviewed = await change({ 'a.js': content, 'b.js': 'b();\n' });
    expect(reviewed.judgement.verdict).not.toBe('lgtm');
    expect(omittedOf(reviewed)).toEqual([
      expect.stringMatching(/^a\.js: its encoding is unknown|^a\.js: it begins as/),
    ]);
    expect(reviewed.draft.coverage.complete).toBe(false);
  });

  test('is told from real binaries, which are excluded', async () => {
    const noise = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 256));
    const files = {
      'a.js': 'a();\n',
      'logo.png': noise,
      'lib.so': noise,
      model: noise,
      'x.dat': Buffer.from([0, 1, 2]),
    };
    const reviewed = await change(files);
    expect(reviewed.judgement).toMatchObject({ verdict: 'lgtm' });
    expect(omittedOf(reviewed).toSorted()).toEqual(
      ['lib.so', 'logo.png', 'model', 'x.dat'].map((path) => `${path}: binary file`),
    );
  });
});

describe('F-A4: a long line', () => {
  test('in a file with others takes none of them out of the review', async () => {
    const reviewed = await change({ 'a.js': `// ${'😀'.repeat(900)}\n${EVAL}` });
    expect(rulesOf(reviewed)).toEqual(['a.js:2 js-eval']);
  });

  test('makes most of a file minified: the review is not complete, and rules and secrets look all the same', async () => {
    const long = `f("${'x'.repeat(3000)}");`;
    const quiet = await change({ 'bundle.js': textOf(long, long) });
    expect(quiet.judgement.verdict).toBe('inconclusive');
    expect(omittedOf(quiet)).toEqual([expect.stringMatching(/^bundle\.js: minified/)]);
    const loud = await change({ 'other.js': textOf(long, `${long}eval(x);const t="${TOKEN}"`) });
    expect(rulesOf(loud)).toEqual(['other.js:2 js-eval', 'other.js:2 secret-gitlab']);
  });

  test.each([
    ['a line that a build tool wrote', 'src/a.js', textOf('start();', 'eval(x);if(a){b()}'.repeat(100))],
    ['a folder of built files', 'dist/a.js', EVAL],
  ])('F-G16: %s is not reported, and does not count as checked', async (_what, path, text) => {
    const reviewed = await change({ [path]: text });
    expect(rulesOf(reviewed)).toEqual([]);
    expect(reviewed.judgement.verdict).toBe('inconclusive');
    expect(omittedOf(reviewed)).toEqual([expect.stringMatching(/was built, so the rules did not check that code$/)]);
  });
});

describe('F-A5: a size limit', () => {
  test('of the repository leaves out a file, and never lets it pass', async () => {
    const settings = { '.fixpoint.toml': '[limits]\nmax_file_bytes = 500\n' };
    const quiet = await change({ 'a.js': textOf(...numbered(60)) }, {}, settings);
    expect(quiet.judgement.verdict).toBe('inconclusive');
    expect(omittedOf(quiet)).toEqual([
      expect.stringMatching(/^a\.js: too large: \d+ bytes of diff, the limit is 500$/),
    ]);
    const loud = await change({ 'b.js': `${textOf(...numbered(60))}const t = "${TOKEN}";\n${EVAL}` });
    expect(rulesOf(loud)).toEqual(['b.js:61 secret-gitlab', 'b.js:62 js-eval']);
  });

  test('of the operator does the same, with a model too', async () => {
    const file = textOf(...numbered(60));
    const reviewed = await change({ 'a.js': file }, { limits: { maxFileBytes: 1024 }, runner: silentModel });
    expect(reviewed.judgement.verdict).toBe('inconclusive');
    expect(reviewed.draft.coverage).toMatchObject({ complete: false, reviewed: 0 });
  });

  test('of git itself leaves out a large text, whose secrets are found', async () => {
    const large = 'x = 1\n'.repeat(200_000);
    const reviewed = await change({ 'a.py': `${large}t = "${TOKEN}"\n` });
    expect(rulesOf(reviewed)).toEqual(['a.py:200001 secret-gitlab']);
    expect(omittedOf(reviewed)).toEqual([expect.stringMatching(/^a\.py: too large to compare/)]);
    const removed = await change({ 'a.py': null });
    expect(removed.judgement.verdict).toBe('inconclusive');
  });
});

describe('F-A6: the search for secrets', () => {
  const line = `const t = "${TOKEN}";\n`;
  test.each<[string, Files, Files]>([
    ['a vendored folder', { 'vendor/lib.js': line }, {}],
    ['node_modules', { 'web/node_modules/x/index.js': line }, {}],
    ['a minified file', { 'src/app.min.js': line }, {}],
    ['a lock file', { 'package-lock.json': `{"resolved": "https://x/?private_token=${TOKEN}"}\n` }, {}],
    ['a generated file', { 'api/user.pb.go': `// ${TOKEN}\n` }, {}],
    ['what .gitattributes calls generated', { 'gen.ts': line }, { '.gitattributes': 'gen.ts linguist-generated\n' }],
    ['what .gitattributes calls binary', { 'gen.ts': line }, { '.gitattributes': '* binary -diff -text\n' }],
    ['UTF-16 in a vendored folder', { 'vendor/a.ps1': utf16(line) }, {}],
    ['UTF-16 without a mark in a vendored folder', { 'vendor/a.cs': Buffer.from(line, 'utf16le') }, {}],
    ['a file behind a NUL in a vendored folder', { 'vendor/a.js': `/*\0*/${line}` }, {}],
    ['a large vendored file', { 'vendor/big.js': 'a();\n'.repeat(400_000) + line }, {}],
    [
      'a new submodule',
      { '.gitmodules': `[submodule "a"]\n\tpath = a\n\turl = https://oauth2:${TOKEN}@x.test/a\n` },
      {},
    ],
    ['a document', { 'docs/setup.md': `Use ${TOKEN}\n` }, {}],
  ])('sees the added lines of %s', async (_name, files, before) => {
    const reviewed = await change(files, {}, before);
    expect(rulesOf(reviewed)).toEqual([expect.stringMatching(/ secret-gitlab$/)]);
    expect(reviewed.judgement.verdict).toBe('feedback');
  });

  test('sees what the operator excludes, and a file that moves into a vendored folder', async () => {
    const excluded = await change({ 'skip/a.js': line }, { limits: { excludePaths: ['skip/'] } });
    expect(rulesOf(excluded)).toEqual(['skip/a.js:1 secret-gitlab']);
    const body = textOf(...numbered(20));
    const moved = await change({ 'src/a.js': null, 'vendor/a.js': body + line }, {}, { 'src/a.js': body });
    expect(rulesOf(moved)).toEqual(['vendor/a.js:21 secret-gitlab']);
  });

  test('says nothing about lines that stood there before', async () => {
    const before = { 'vendor/a.js': `${line}a();\n` };
    const reviewed = await change({ 'vendor/a.js': `${line}b();\n`, 'c.js': 'c();\n' }, {}, before);
    expect(rulesOf(reviewed)).toEqual([]);
    expect(reviewed.judgement.verdict).toBe('lgtm');
    const large = 'a();\n'.repeat(400_000);
    const grown = await change({ 'vendor/big.js': `${line}${large}b();\n` }, {}, { 'vendor/big.js': line + large });
    expect(rulesOf(grown)).toEqual([]);
  });
});

describe('F-A7: a language that no rule knows', () => {
  const FILES: Readonly<Record<string, string>> = {
    'a.fs': 'Process.Start(input)\n',
    'a.scala': 'Runtime.getRuntime().exec(x)\n',
    'a.swift': 'run(x)\n',
    'a.pl': 'system($x);\n',
    'a.astro': '<div set:html={x} />\n',
    'main.bicep': 'param x string\n',
    Jenkinsfile: 'node {}\n',
    'index.html': '<script>eval(x)</script>\n',
    '.github/dependabot.yml': 'version: 2\n',
    '.woodpecker/a.yml': 'steps: []\n',
    'schema.graphql': 'type A\n',
    'package.json': '{"scripts": {"postinstall": "curl x | sh"}}\n',
    Makefile: 'all:\n\tcurl x | sh\n',
    'deploy.yaml': 'apiVersion: v1\n',
    'requirements.txt': 'x\n',
    'a.ps1': 'iex $x\n',
  };

  test.each(Object.entries(FILES))('%s is named, and without a model there is no pass', async (path, text) => {
    const { draft, judgement } = await change({ [path]: text, 'b.js': 'b();\n' });
    expect(judgement).toMatchObject({
      verdict: 'inconclusive',
      reasons: [
        expect.stringMatching(
          /^no rule knows .+ \(1 file\), and neither an analyzer nor a model looked \(`review\.unknown_languages`\)$/,
        ),
      ],
    });
    expect(draft.coverage).toMatchObject({ complete: true, reviewed: 1, files: 2 });
  });

  test.each<[string, string]>([
    ['a.cs', 'class A { }\n'],
    ['a.rs', 'fn a() {}\n'],
    ['a.kt', 'fun a() {}\n'],
    ['a.c', 'int a(void) { return 1; }\n'],
    ['a.vue', '<p />\n<script setup lang="ts">\nconst a: string = b;\n</script>\n'],
    ['a.svelte', '<p>{a}</p>\n'],
    ['main.tf', 'resource "x" "y" {}\n'],
    ['Dockerfile', 'FROM x\n'],
    ['schema.sql', 'select 1;\n'],
    ['.github/workflows/ci.yml', 'on: push\n'],
    ['.gitlab-ci.yml', 'a:\n  script: make\n'],
  ])('%s is known to the rules, and passes without a model', async (path, text) => {
    const { draft, judgement } = await change({ [path]: text });
    expect(judgement.verdict).toBe('lgtm');
    expect(draft.coverage).toMatchObject({ complete: true, reviewed: 1, files: 1 });
  });

  test.each<[string, string, string]>([
    ['cannot be parsed', 'a.vue', '<script>\na( { ]\n</script>\n'],
    ['cannot be parsed', '.github/workflows/ci.yml', 'on: [push\njobs: }\n'],
    ['has a script that no rule knows', 'a.svelte', '<script lang="coffee">\na()\n</script>\n'],
  ])('a file that %s is no pass: %s', async (_, path, text) => {
    expect((await change({ [path]: text })).judgement.verdict).toBe('inconclusive');
  });

  test('passes where the operator says so, and with a model', async () => {
    const passing = await change(FILES, { limits: { unknownLanguages: 'pass' } });
    expect(passing.judgement.verdict).toBe('lgtm');
    expect(passing.draft.coverage.receipts).toContainEqual({ seenBy: 'scan', language: 'F#', files: 1, lines: 1 });
    world.commit(Object.fromEntries(Object.keys(FILES).map((path) => [path, null])));
    expect((await change(FILES, { runner: silentModel })).judgement.verdict).toBe('lgtm');
  });

  test('cannot pass because the repository says so', async () => {
    const before = { '.fixpoint.toml': '[review]\nunknown_languages = "pass"\nonly_excluded = "pass"\n' };
    const { draft, judgement } = await change({ 'a.fs': 'x();\n' }, {}, before);
    expect(judgement.verdict).toBe('inconclusive');
    expect(draft.repository?.notes).toEqual([
      '`.fixpoint.toml`: `review.unknown_languages` is ignored: only the operator can set it',
      '`.fixpoint.toml`: `review.only_excluded` is ignored: only the operator can set it',
    ]);
    const excluding = { '.fixpoint.toml': '[review]\nexclude_paths = ["**"]\n' };
    expect((await change({ 'b.fs': 'x();\n' }, {}, excluding)).judgement.verdict).toBe('inconclusive');
  });

  test.each<[string, string]>([
    ['prose', 'docs/a.md'],
    ['prose', 'LICENSE'],
    ['JSON', 'data/a.json'],
    ['CSV', 'a.csv'],
    ['YAML', 'settings.yaml'],
    ['TOML', 'settings.toml'],
  ])('is not %s, such as %s', async (_name, path) => {
    const { draft, judgement } = await change({ [path]: 'a: 1\n' });
    expect(judgement.verdict).toBe('lgtm');
    expect(draft.coverage.receipts).toMatchObject([{ seenBy: 'scan', files: 1, lines: 1 }]);
  });

  test('includes links and submodules, and prose that a new name makes a program', async () => {
    world.commit({ 'x.txt': `${EVAL}${textOf(...numbered(10))}` });
    const base = world.commit({});
    world.repository.link('link', 'x.txt');
    const linked = world.commit({});
    expect((await reviewBy(world, { base, head: linked })).judgement.verdict).toBe('inconclusive');
    const renamed = await change({ 'x.txt': null, 'x.js': `${EVAL}${textOf(...numbered(10))}` });
    expect(rulesOf(renamed)).toEqual(['x.js:1 js-eval']);
    const out = await change({ 'x.js': null, 'src/y.js': textOf(...numbered(30)) + EVAL }, {}, { 'vendor/y.js': '' });
    expect(out.judgement.verdict).toBe('feedback');
  });

  test('reviews what moves out of a vendored folder as if it were new', async () => {
    const body = EVAL + textOf(...numbered(20));
    const moved = await change({ 'vendor/y.js': null, 'src/y.js': body }, {}, { 'vendor/y.js': body });
    expect(rulesOf(moved)).toEqual(['src/y.js:1 js-eval']);
  });

  test('is no rule language where the parser could not follow', async () => {
    const reviewed = await change({ 'a.js': 'const = ;\n', 'b.js': 'b();\n' });
    expect(reviewed.judgement.verdict).toBe('inconclusive');
    expect(omittedOf(reviewed)).toEqual([
      'a.js: line 1 could not be parsed or was built, so the rules did not check that code',
    ]);
    const elsewhere = await change({ 'a.js': 'const = ;\n\n\n\nb();\n' });
    expect(elsewhere.judgement.verdict).toBe('lgtm');
    expect((await change({ 'c.js': 'const = ;\n' }, { runner: silentModel })).judgement.verdict).toBe('lgtm');
  });
});

describe('a receipt', () => {
  test('is given for lines that are only taken away, at the end of a file and with the file', async () => {
    const before = { 'a.js': 'a();\nb();\n', 'gone.js': 'x();\n' };
    const { draft, judgement } = await change({ 'a.js': 'a();\n', 'gone.js': null }, {}, before);
    expect(judgement.verdict).toBe('lgtm');
    expect(draft.coverage.lines).toEqual([
      {
        path: 'a.js',
        language: 'JavaScript',
        header: null,
        lines: [{ side: 'old', startLine: 2, line: 2, seenBy: 'rules' }],
      },
      {
        path: 'gone.js',
        language: 'JavaScript',
        header: null,
        lines: [{ side: 'old', startLine: 1, line: 1, seenBy: 'rules' }],
      },
    ]);
  });
});

describe('F-C2: a change that does not fit the prompt', () => {
  const reading = (ranges: readonly { startLine: number; endLine: number }[]): Runner => ({
    name: 'agent',
    run: async (input, signal) => {
      const result = await silentModel.run(input, signal);
      if (result.kind !== 'draft') return result;
      const model = modelLook([{ path: 'a.js', reason: 'does not fit' }], new Map([['a.js', ranges]]));
      return { kind: 'draft', draft: { ...result.draft, looked: { ...result.draft.looked, model } } };
    },
  });

  test('passes when the model read every changed line itself, and only then', async () => {
    const base = world.commit({ 'a.js': textOf(...numbered(10)) });
    const head = world.commit({ 'a.js': textOf(...numbered(30)) });
    const verdictOf = async (...ranges: readonly { startLine: number; endLine: number }[]) =>
      (await reviewBy(world, { base, head, runner: reading(ranges) })).judgement.verdict;
    expect(await verdictOf({ startLine: 1, endLine: 20 }, { startLine: 18, endLine: 30 })).toBe('lgtm');
    expect(await verdictOf({ startLine: 1, endLine: 29 })).toBe('inconclusive');
    const { draft } = await reviewBy(world, { base, head, runner: reading([]) });
    expect(omittedOf({ draft })).toEqual(['a.js: does not fit']);
    const removing = { base: head, head: base, runner: reading([{ startLine: 1, endLine: 10 }]) };
    expect((await reviewBy(world, removing)).judgement.verdict).toBe('inconclusive');
  });
});

describe('a later review', () => {
  const grow = (): { readonly base: CommitSha; readonly before: CommitSha; readonly head: CommitSha } => {
    const lines = numbered(60);
    const base = world.commit({ 'a.fs': textOf(...lines) });
    const before = world.commit({ 'a.fs': textOf('first();', ...lines) });
    return { base, before, head: world.commit({ 'a.fs': textOf('first();', ...lines, 'second();') }) };
  };
  const previously = (before: CommitSha, base: CommitSha, seenBy: 'model' | 'rules') => ({
    previous: { head: before, base, fingerprint: 'f'.repeat(64), verdict: 'lgtm' as const, seenBy },
  });

  test('inherits the receipts of unchanged hunks, with their kind', async () => {
    const { base, before, head } = grow();
    const kinds = async (seenBy: 'model' | 'rules') => {
      const { draft } = await reviewBy(world, { base, head, more: previously(before, base, seenBy) });
      return draft.coverage.lines?.flatMap(({ lines }) => lines.map((line) => line.seenBy));
    };
    expect(await kinds('model')).toEqual(['model', 'scan']);
    expect(await kinds('rules')).toEqual(['scan', 'scan']);
  });

  test('shows a model the whole change when only the rules have looked before', async () => {
    const { base, before, head } = grow();
    let shown: boolean | null = null;
    const runner: Runner = {
      name: 'agent',
      run: async (input, signal) => {
        shown = input.packet.delta === null;
        return silentModel.run(input, signal);
      },
    };
    await reviewBy(world, { base, head, runner, more: previously(before, base, 'rules') });
    expect(shown).toBe(true);
    await reviewBy(world, { base, head, runner, more: previously(before, base, 'model') });
    expect(shown).toBe(false);
  });
});

describe('a change in which every file is excluded', () => {
  test('is no pass', async () => {
    const { draft, judgement } = await change({ 'package-lock.json': '{}\n', 'vendor/a.js': EVAL });
    expect(judgement).toEqual({
      verdict: 'inconclusive',
      reasons: ['every changed file is excluded from the review (`review.only_excluded`)'],
    });
    expect(draft.coverage).toMatchObject({ complete: true, reviewed: 0, onlyExcluded: true });
  });

  test('passes where the operator excludes all of it, or lets it pass', async () => {
    const files = { 'package-lock.json': '{}\n', 'skip/a.js': EVAL };
    const limits = { excludePaths: ['skip/', 'package-lock.json'] };
    expect((await change(files, { limits })).judgement.verdict).toBe('lgtm');
    const other = { 'package-lock.json': '{"a": 1}\n', 'skip/a.js': `${EVAL}a();\n` };
    expect((await change(other, { limits: { excludePaths: ['skip/'] } })).judgement.verdict).toBe('inconclusive');
    const locked = { 'package-lock.json': '{"b": 2}\n' };
    const passing = await change(locked, { limits: { onlyExcluded: 'pass' } });
    expect(passing.judgement.verdict).toBe('lgtm');
  });
});

describe('F-C1: a large file that nobody reviews line by line', () => {
  test.each<[string, string | Buffer]>([
    ['logo.png', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), Buffer.alloc(2_000_000, 7)])],
    ['paper.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(2_000_000, 0xe2)])],
    ['small.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(2_000, 0xe2)])],
    ['package-lock.json', `{${'"a": "b",\n'.repeat(170_000)}"c": 1}\n`],
    ['dist/app.min.js', 'a();'.repeat(400_000)],
    ['vendor/all.go', 'package x\n'.repeat(200_000)],
    ['data.unknown', Buffer.from(Array.from({ length: 1_200_000 }, (_, index) => (index * 7919) % 256))],
  ])('%s keeps no review from its end', async (path, content) => {
    const reviewed = await change({ [path]: content, 'a.js': 'a();\n' });
    expect(reviewed.judgement).toMatchObject({ verdict: 'lgtm' });
    expect(omittedOf(reviewed)).toHaveLength(1);
  });
});
