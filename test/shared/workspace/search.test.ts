import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { glob } from '../../../shared/workspace/tree/glob.ts';
import { grep, type GrepRequest } from '../../../shared/workspace/tree/grep.ts';
import { openTree } from '../../../shared/workspace/tree/tree.ts';
import { linkTo, longestLagMs, makePipe, writeFiles } from './folder.ts';
import { never, temporaryFolder } from './repository.ts';

let folder = temporaryFolder();
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, 'root');
  mkdirSync(root);
});
afterEach(() => folder.dispose());

const search = (pattern: string, more: Partial<GrepRequest> = {}) =>
  grep(openTree(root), { pattern, ...more }, never());
const list = (pattern: string, path?: string) =>
  glob(openTree(root), { pattern, ...(path === undefined ? {} : { path }) }, never());

describe('grep', () => {
  it('gives path, line and text, sorted', async () => {
    writeFiles(root, { 'b.txt': 'no\nfoo bar\r\n', 'a/z.txt': 'foo\n', 'a:1:b': 'foo\n' });
    expect(await search('fo+')).toEqual({
      kind: 'matches',
      matches: [
        { path: 'a/z.txt', line: 1, text: 'foo' },
        { path: 'a:1:b', line: 1, text: 'foo' },
        { path: 'b.txt', line: 2, text: 'foo bar' },
      ],
      notice: null,
    });
  });

  it('takes text literally, ignores case and keeps to a path when asked to', async () => {
    writeFiles(root, { 'a/x': 'A.B\n', 'b/x': 'a.b\nacb\n', '-v': 'a.b\n' });
    expect(await search('a.b', { fixed: true })).toMatchObject({ matches: [{ path: '-v' }, { path: 'b/x', line: 1 }] });
    expect(await search('a.b', { ignoreCase: true, path: 'a' })).toMatchObject({ matches: [{ path: 'a/x' }] });
    expect(await search('a.b', { path: './b/x' })).toMatchObject({ matches: [{ line: 1 }, { line: 2 }] });
    expect(await search('a.b', { path: '-v' })).toMatchObject({ matches: [{ path: '-v' }] });
  });

  it('finds what ignore files and dots would hide', async () => {
    writeFiles(root, { '.gitignore': '*\n', '.ignore': '*\n', '.rgignore': '*\n', '.hidden/x': 'foo\n', y: 'foo\n' });
    expect(await search('foo')).toMatchObject({ matches: [{ path: '.hidden/x' }, { path: 'y' }] });
  });

  it('says that it found nothing', async () => {
    expect(await search('foo')).toEqual({ kind: 'matches', matches: [], notice: null });
  });

  it('cuts matches, lines and patterns, and says so', async () => {
    writeFiles(root, { many: 'foo\n'.repeat(20), wide: `foo${'x'.repeat(5000)}\n` });
    expect(await search('foo', { maxMatches: 3, path: 'many' })).toMatchObject({
      matches: [{}, {}, {}],
      notice: 'cut after 3 matches; narrow the search',
    });
    const wide = await search('foo', { path: 'wide' });
    expect(JSON.stringify(wide).length).toBeLessThan(600);
    expect(await search('x'.repeat(1001))).toMatchObject({ kind: 'refused' });
    expect(await search('')).toMatchObject({ kind: 'refused' });
    expect(await search('a\nb')).toMatchObject({ kind: 'refused' });
  });

  it('says why a pattern cannot be used', async () => {
    expect(await search('(')).toEqual({
      kind: 'refused',
      reason: 'the pattern is invalid: unclosed group',
      isPattern: true,
    });
    expect(await search('(?=x)')).toMatchObject({ kind: 'refused' });
    expect(await search('(x)\\1')).toMatchObject({ kind: 'refused' });
  });

  it('is not confused by NULs, odd names or control characters', async () => {
    writeFiles(root, { bin: 'foo\n\0\n', 'two\nlines': 'foo\n', esc: 'foo \u001b[31m\n', z: 'foo\n' });
    const early = Buffer.concat([Buffer.from('foo\n'.padEnd(200_000, 'x\n')), Buffer.from([0])]);
    writeFiles(root, { late: early });
    const result = await search('foo');
    const matches = result.kind === 'matches' ? result.matches : [];
    expect(matches.map(({ path }) => path).filter((path) => path !== 'late')).toEqual(['bin', 'esc', 'z']);
    expect(matches.find(({ path }) => path === 'esc')?.text).toBe('foo \\x1b[31m');
  });

  it('T5 runs nothing of the tree, neither by name nor by configuration', async () => {
    writeFiles(root, { rg: '#!/bin/sh\ntouch canary\n', '.ripgreprc': '--pre=./rg\n', foo: 'foo\n' });
    process.env['RIPGREP_CONFIG_PATH'] = join(root, '.ripgreprc');
    expect(await search('foo')).toMatchObject({ matches: [{ path: 'foo' }] });
    delete process.env['RIPGREP_CONFIG_PATH'];
    expect(await list('canary')).toMatchObject({ files: [] });
  });
});

describe('glob', () => {
  const files = (pattern: string, path?: string) =>
    list(pattern, path).then((result) => (result.kind === 'files' ? result.files : result.reason));

  it('matches names at any depth, and whole paths where a slash stands', async () => {
    writeFiles(root, { 'a.ts': '', 'src/b.ts': '', 'src/deep/c.ts': '', 'src/d.js': '', '.dot/e.ts': '' });
    expect(await files('*.ts')).toEqual(['.dot/e.ts', 'a.ts', 'src/b.ts', 'src/deep/c.ts']);
    expect(await files('src/*.ts')).toEqual(['src/b.ts']);
    expect(await files('src/**/*.{ts,js}')).toEqual(['src/b.ts', 'src/d.js', 'src/deep/c.ts']);
    expect(await files('*.ts', 'src')).toEqual(['src/b.ts', 'src/deep/c.ts']);
    expect(await files('none')).toEqual([]);
    // F-W1: as people and models write it.
    expect(await files('./src/*.ts')).toEqual(['src/b.ts']);
    expect(await files('./*.ts')).toEqual(['a.ts']);
    expect(await files('src/')).toEqual(['src/b.ts', 'src/d.js', 'src/deep/c.ts']);
  });

  it('cuts long lists and says so', async () => {
    writeFiles(root, { a: '', b: '', c: '' });
    expect(await glob(openTree(root), { pattern: '*', maxFiles: 2 }, never())).toEqual({
      kind: 'files',
      files: ['a', 'b'],
      notice: 'cut after 2 files; narrow the pattern',
    });
  });

  it.each(['../*', '/etc/*', '!*', 'a/../../*', ''])('T7 refuses the pattern %j', async (pattern) => {
    expect(await list(pattern)).toMatchObject({ kind: 'refused' });
  });

  it('says when a pattern or folder cannot be used', async () => {
    expect(await list('[')).toMatchObject({ kind: 'refused' });
    expect(await list('*', 'none')).toEqual({ kind: 'refused', reason: 'not found' });
    expect(await list('*', '..')).toEqual({ kind: 'refused', reason: 'outside the workspace' });
  });
});

describe('T9 odd files', () => {
  // With a time limit far below ripgrep's own: a pipe that is opened holds its reader until somebody writes.
  it('are refused at once where they are named, and passed over where they are found', async () => {
    writeFiles(root, { file: 'foo\n' });
    makePipe(join(root, 'pipe'));
    linkTo(root, 'link', 'pipe');
    for (const path of ['pipe', 'link']) {
      expect(await search('foo', { path })).toEqual({ kind: 'refused', reason: 'not a regular file' });
      expect(await list('*', path)).toEqual({ kind: 'refused', reason: 'not a folder' });
    }
    expect(await list('*', 'file')).toEqual({ kind: 'refused', reason: 'not a folder' });
    expect(await search('foo')).toMatchObject({ matches: [{ path: 'file' }] });
  }, 5_000);
});

describe('T8 links', () => {
  it('ends soon and finds nothing outside', async () => {
    writeFiles(folder.path, { 'other/canary': 'canary\n' });
    writeFiles(root, { inside: 'canary\n' });
    linkTo(root, 'r', '/');
    linkTo(root, 'a', 'b');
    linkTo(root, 'b', 'a');
    linkTo(root, 'up', '..');
    linkTo(root, 'file', join(folder.path, 'other', 'canary'));
    makePipe(join(root, 'pipe'));
    expect(await search('canary')).toEqual({
      kind: 'matches',
      matches: [{ path: 'inside', line: 1, text: 'canary' }],
      notice: null,
    });
    expect(await list('**/*canary*')).toMatchObject({ files: [] });
    for (const path of ['r', 'up', 'up/other', 'file', 'r/etc']) {
      expect(await search('canary', { path })).toEqual({ kind: 'refused', reason: 'outside the workspace' });
    }
  });
});

describe('T10 bombs', () => {
  const quickly = async (work: () => Promise<unknown>): Promise<void> => {
    const results: unknown[] = [];
    expect(await longestLagMs(async () => results.push(await work()))).toBeLessThan(100);
    expect(JSON.stringify(results)).not.toContain('too long and was stopped');
  };

  it.each(['(a+)+$', '(a|aa)+$', '(.*a){20}b', 'a{1000}{1000}{1000}'])('grep of %j ends at once', async (pattern) => {
    writeFiles(root, { a: `${'a'.repeat(50_000)}b\n` });
    await quickly(() => search(pattern));
  });

  const bombs = [
    `${'*a'.repeat(12)}b`,
    '{a,b}'.repeat(16),
    '**/'.repeat(12),
    `${'**/'.repeat(12)}x`,
    '{'.repeat(100),
    '*'.repeat(200),
  ];

  it.each(bombs)('glob of %j ends at once', async (pattern) => {
    writeFiles(root, { [`${'a/'.repeat(40)}${'a'.repeat(200)}`]: '', ['a'.repeat(250)]: '' });
    await quickly(() => list(pattern));
  });
});
