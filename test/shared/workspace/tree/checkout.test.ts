import type { CheckoutCaps } from '../../../../shared/workspace/tree/checkout-plan.ts';
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, utimesSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { type Checkout, createCheckout, removeOldCheckouts } from '../../../../shared/workspace/tree/checkout.ts';
import { createRevisions, type Revisions } from '../../../../shared/workspace/git/revisions.ts';
import {
  bombTree,
  createRepository,
  gitOf,
  never,
  type Repository,
  temporaryFolder,
  type TreeItem,
} from '../repository.ts';

let folder = temporaryFolder();
let repository: Repository;
let revisions: Revisions;
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'work'));
  revisions = createRevisions(gitOf(repository));
});
afterEach(() => {
  revisions.close();
  folder.dispose();
});

const trees = (): string => join(folder.path, 'trees');

const checkOut = (head: CommitSha, caps?: CheckoutCaps): Promise<Checkout> =>
  createCheckout({ revisions, folder: trees(), ...(caps === undefined ? {} : { caps }) }, head, never());

const below = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !lstatSync(join(root, name)).isDirectory())
    .toSorted();

describe('createCheckout', () => {
  it('lays down plain read-only files and removes them after use', async () => {
    repository.write({ 'a.txt': 'one\n', 'dir/b.txt': 'two', '.gitattributes': '* text eol=crlf\n' });
    repository.executable('run.sh', '#!/bin/sh\n');
    const head = repository.commit('head');
    const checkout = await checkOut(head);
    expect(checkout).toMatchObject({ head, files: 4, skipped: [], complete: true });
    expect(below(checkout.root)).toEqual(['.gitattributes', 'a.txt', 'dir/b.txt', 'run.sh']);
    expect(readFileSync(join(checkout.root, 'a.txt'), 'utf8')).toBe('one\n');
    const modes = ['a.txt', 'run.sh', 'dir'].map((name) =>
      (lstatSync(join(checkout.root, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['444', '444', '755']);
    await checkout.dispose();
    expect(readdirSync(trees())).toEqual([]);
  });

  it('T7 turns links into text files', async () => {
    repository.link('passwd', '/etc/passwd');
    repository.link('up', '../../..');
    const checkout = await checkOut(repository.commit('links'));
    expect(lstatSync(join(checkout.root, 'passwd')).isFile()).toBe(true);
    expect(readFileSync(join(checkout.root, 'passwd'), 'utf8')).toBe('/etc/passwd');
    expect(readFileSync(join(checkout.root, 'up'), 'utf8')).toBe('../../..');
    await checkout.dispose();
  });

  it('refuses hostile paths by name and lays the rest down', async () => {
    const objectId = repository.blob('canary');
    const file = (name: string | Buffer): TreeItem => ({ mode: '100644', name, objectId });
    const inner = repository.rawTree([file('config')]);
    const up = repository.rawTree([file('escaped')]);
    const names = [
      '.git',
      '.GIT',
      '.gIt.',
      '.git ',
      '.git::$INDEX_ALLOCATION',
      'GIT~1',
      'git~2',
      '.g\u200cit',
      '.\uff27it',
      'a\\.git',
    ];
    const items: TreeItem[] = [
      ...names.map((name): TreeItem => ({ mode: '40000', name, objectId: inner })),
      { mode: '40000', name: '..', objectId: up },
      { mode: '40000', name: '.', objectId: up },
      ...['/absolute', '../../escaped', 'a\u001b[31m', 'line\nbreak', 'x'.repeat(256), '\u202egnp'].map(file),
      file(Buffer.from([0x66, 0xff])),
      file('good'),
      file('.github'),
      file('.gitignore'),
    ];
    const checkout = await checkOut(repository.commitTree(repository.rawTree(items)));
    expect(below(checkout.root)).toEqual(['.github', '.gitignore', 'good']);
    expect(checkout.skipped).toHaveLength(items.length - 3);
    expect(checkout.skipped).toContainEqual({ path: '.GIT/config', reason: 'a name of git' });
    expect(checkout.skipped).toContainEqual({ path: '../escaped', reason: 'a relative name' });
    expect(checkout.skipped).toContainEqual({ path: 'line\\x0abreak', reason: 'a control character' });
    expect(checkout.skipped).toContainEqual({ path: 'f\\xff', reason: 'a path that is not UTF-8' });
    expect(existsSync(join(trees(), 'escaped'))).toBe(false);
    expect(existsSync(join(folder.path, 'escaped'))).toBe(false);
    await checkout.dispose();
  });

  it('keeps the first of a file and a folder with one name', async () => {
    const first = repository.blob('first');
    const inner = repository.rawTree([{ mode: '100644', name: 'x', objectId: repository.blob('second') }]);
    const tree = repository.rawTree([
      { mode: '120000', name: 'a', objectId: first },
      { mode: '40000', name: 'a', objectId: inner },
    ]);
    const checkout = await checkOut(repository.commitTree(tree));
    expect(below(checkout.root)).toEqual(['a']);
    expect(readFileSync(join(checkout.root, 'a'), 'utf8')).toBe('first');
    expect(checkout.skipped.map(({ path }) => path)).toEqual(['a/x']);
    await checkout.dispose();
  });

  it('keeps no file whose name the tree has several times, because one could be read for the other', async () => {
    const file = (name: string, content: string): TreeItem => ({
      mode: '100644',
      name,
      objectId: repository.blob(content),
    });
    const folderWith = (content: string): TreeItem => ({
      mode: '40000',
      name: 'dir',
      objectId: repository.rawTree([file('x', content)]),
    });
    const items = [file('a', 'one'), file('a', 'two'), file('b', 'b'), folderWith('one'), file('dir/x', 'two')];
    const checkout = await checkOut(repository.commitTree(repository.rawTree(items)));
    expect(below(checkout.root)).toEqual(['b']);
    expect(checkout.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual(
      ['a', 'a', 'dir/x', 'dir/x'].map((path) => `${path}: the tree has several files of this name`),
    );
    await checkout.dispose();
  });

  it('G9 skips what is too large, alone or in all, and names it', async () => {
    repository.write({ a: 'x'.repeat(10), b: 'x'.repeat(11), c: 'x'.repeat(10), d: 'x'.repeat(5) });
    const head = repository.commit('sizes');
    const checkout = await checkOut(head, { maxFiles: 9, maxFileBytes: 10, maxTotalBytes: 15 });
    expect(below(checkout.root)).toEqual(['a', 'd']);
    expect(checkout).toMatchObject({ files: 2, bytes: 15, complete: true });
    expect(checkout.skipped).toEqual([
      { path: 'b', reason: 'too large (11 bytes)' },
      { path: 'c', reason: 'the tree is too large in total' },
    ]);
    await checkout.dispose();
  });

  it('G8 lays down at most the cap of a tree bomb, and says that there is more', async () => {
    const head = repository.commitTree(bombTree(repository, 10));
    const checkout = await checkOut(head, { maxFiles: 500, maxFileBytes: 10, maxTotalBytes: 10_000 });
    expect(checkout).toMatchObject({ files: 500, complete: false });
    await checkout.dispose();
  });

  it('G4 names a submodule instead of fetching it', async () => {
    const tree = repository.rawTree([{ mode: '160000', name: 'sub', objectId: 'a'.repeat(40) }]);
    const checkout = await checkOut(repository.commitTree(tree));
    expect(checkout).toMatchObject({ files: 0, skipped: [{ path: 'sub', reason: 'a submodule' }] });
    await checkout.dispose();
  });

  it('leaves nothing behind when it fails', async () => {
    await expect(checkOut('f'.repeat(40) as CommitSha)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(readdirSync(trees())).toEqual([]);
  });
});

describe('removeOldCheckouts', () => {
  it('removes what is old and its own, and keeps the rest', async () => {
    for (const name of ['tree-old', 'tree-new', 'else']) mkdirSync(join(trees(), name), { recursive: true });
    const nowMs = 1_800_000_000_000;
    utimesSync(join(trees(), 'tree-old'), nowMs / 1000 - 100, nowMs / 1000 - 100);
    utimesSync(join(trees(), 'else'), nowMs / 1000 - 100, nowMs / 1000 - 100);
    utimesSync(join(trees(), 'tree-new'), nowMs / 1000 - 99, nowMs / 1000 - 99);
    expect(await removeOldCheckouts(trees(), { nowMs, maxAgeMs: 100_000 })).toBe(1);
    expect(readdirSync(trees()).toSorted()).toEqual(['else', 'tree-new']);
  });

  it('passes over an entry that another process removes at the same time', async () => {
    mkdirSync(join(trees(), 'tree-old'), { recursive: true });
    // To `stat`, a link to nothing is an entry that was removed after the folder was listed.
    symlinkSync('nothing', join(trees(), 'tree-gone'));
    expect(await removeOldCheckouts(trees(), { nowMs: Date.now() + 1000, maxAgeMs: 100 })).toBe(1);
    expect(readdirSync(trees())).toEqual(['tree-gone']);
  });
});
