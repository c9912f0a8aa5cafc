import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createRevisions, type Revisions } from '../../../../shared/workspace/git/revisions.ts';
import { decideSameInput, type SameInput } from '../../../../shared/workspace/git/same-input.ts';
import { createRepository, GIT, gitOf, never, type Repository, temporaryFolder } from '../repository.ts';

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

const PYTHON = 'def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n';
const MIDDLE = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
const FUNCTIONS = `function a() {\n  start();\n  end();\n}\n${MIDDLE}function b() {\n  start();\n  end();\n}\n`;

/** A main branch, and a feature branch on it that was reviewed. */
const reviewedChange = () => {
  repository.write({ 'app.py': PYTHON, 'lib.js': FUNCTIONS, 'other.txt': 'one\n', 'data.bin': Buffer.from([0, 1, 2]) });
  const base = repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'feature');
  repository.write({ 'app.py': PYTHON.replace('total = 0', 'total = 1'), 'data.bin': Buffer.from([0, 1, 3]) });
  repository.write({ 'lib.js': FUNCTIONS.replace('a() {\n', 'a() {\n  log();\n') });
  return { base, head: repository.commit('change') };
};

const moveMain = (files: Readonly<Record<string, string>>): CommitSha => {
  repository.git('checkout', '--quiet', 'main');
  repository.write(files);
  const tip = repository.commit('main moves');
  repository.git('checkout', '--quiet', 'feature');
  return tip;
};

const head = (): CommitSha => CommitSha.parse(repository.git('rev-parse', 'HEAD'));

const decide = async (
  reviewed: { base: CommitSha; head: CommitSha },
  current: { base: CommitSha; head: CommitSha },
) => {
  const settings = { git: gitOf(repository), gitPath: GIT, revisions, scratchFolder: join(folder.path, 'scratch') };
  return decideSameInput(settings, { reviewed, current }, never());
};

describe('decideSameInput', () => {
  it('carries a verdict to a new commit with the same tree', async () => {
    const reviewed = reviewedChange();
    repository.git('commit', '--quiet', '--amend', '-m', 'other words');
    expect(head()).not.toBe(reviewed.head);
    expect(await decide(reviewed, { base: reviewed.base, head: head() })).toBe('same_tree');
  });

  it('carries a verdict over a clean rebase', async () => {
    const reviewed = reviewedChange();
    const base = moveMain({ 'other.txt': 'two\n' });
    repository.git('rebase', '--quiet', 'main');
    expect(await decide(reviewed, { base, head: head() })).toBe('clean_merge');
  });

  it('carries a verdict over a merge of the target branch', async () => {
    const reviewed = reviewedChange();
    const base = moveMain({ 'other.txt': 'two\n', 'new.txt': 'new\n' });
    repository.git('merge', '--quiet', '--no-edit', 'main');
    expect(await decide(reviewed, { base, head: head() })).toBe('clean_merge');
  });

  it('merges without guessing that new files follow a renamed folder', async () => {
    const lines = (name: string) => Array.from({ length: 20 }, (_, index) => `${name} ${index}\n`).join('');
    repository.write({ 'old/a.txt': lines('a'), 'old/b.txt': lines('b') });
    const base = repository.commit('base');
    repository.git('checkout', '--quiet', '-b', 'feature');
    repository.write({ 'old/new.txt': lines('new') });
    const reviewed = { base, head: repository.commit('change') };
    repository.git('checkout', '--quiet', 'main');
    repository.git('mv', 'old', 'moved');
    const moved = repository.commit('main moves');
    repository.git('checkout', '--quiet', 'feature');
    repository.git('-c', 'merge.directoryRenames=false', 'merge', '--quiet', '--no-edit', 'main');
    expect(await decide(reviewed, { base: moved, head: head() })).toBe('clean_merge');
  });

  it('does not carry a verdict to an edit made while rebasing', async () => {
    const reviewed = reviewedChange();
    const base = moveMain({ 'other.txt': 'two\n' });
    repository.git('rebase', '--quiet', 'main');
    repository.write({ 'other.txt': 'three\n' });
    repository.git('commit', '--quiet', '--all', '--amend', '--no-edit');
    expect(await decide(reviewed, { base, head: head() })).toBe('different');
  });

  it('does not carry a verdict over a conflict that somebody resolved', async () => {
    const reviewed = reviewedChange();
    const base = moveMain({ 'app.py': PYTHON.replace('total = 0', 'total = 2') });
    repository.git('merge', '--quiet', '--no-edit', '-X', 'ours', 'main');
    expect(await decide(reviewed, { base, head: head() })).toBe('different');
  });

  it('does not carry a verdict to a merge that takes back what the target branch did', async () => {
    const reviewed = reviewedChange();
    const base = moveMain({ 'other.txt': 'two\n' });
    repository.git('merge', '--quiet', '--no-edit', '-s', 'ours', 'main');
    expect(repository.git('rev-parse', 'HEAD^{tree}')).toBe(repository.git('rev-parse', `${reviewed.head}^{tree}`));
    expect(await decide(reviewed, { base, head: head() })).toBe('different');
  });

  const edits: readonly (readonly [string, Readonly<Record<string, string | Buffer>>])[] = [
    [
      'the indentation of one Python line',
      { 'app.py': PYTHON.replace('0', '1').replace('    return', '        return') },
    ],
    ['the same line moved to another function', { 'lib.js': FUNCTIONS.replace('b() {\n', 'b() {\n  log();\n') }],
    ['another binary content', { 'data.bin': Buffer.from([0, 1, 4]) }],
    ['a file that only the new head has', { 'extra.txt': 'x' }],
  ];

  it.each(edits)('does not carry a verdict to %s', async (_, files) => {
    const reviewed = reviewedChange();
    repository.write(files);
    const onOldBase = repository.commit('edit');
    expect(await decide(reviewed, { base: reviewed.base, head: onOldBase })).toBe('different');
    const base = moveMain({ 'other.txt': 'two\n' });
    repository.git('rebase', '--quiet', 'main');
    expect(await decide(reviewed, { base, head: head() })).toBe('different' satisfies SameInput);
  });

  it('writes nothing to the repository and leaves nothing behind', async () => {
    const reviewed = reviewedChange();
    const base = moveMain({ 'other.txt': 'two\n' });
    repository.git('rebase', '--quiet', 'main');
    const before = repository.git('count-objects', '-v');
    await decide(reviewed, { base, head: head() });
    expect(repository.git('count-objects', '-v')).toBe(before);
    expect(readdirSync(join(folder.path, 'scratch'))).toEqual([]);
  });

  it('G2 runs no merge driver that the repository names', async () => {
    const canary = join(folder.path, 'canary');
    repository.write({ '.gitattributes': '* merge=evil diff=evil filter=evil\n' });
    const reviewed = reviewedChange();
    const base = moveMain({ 'lib.js': FUNCTIONS.replace('line 20', 'line twenty') });
    repository.git('rebase', '--quiet', 'main');
    const rebased = head();
    for (const key of ['merge.evil.driver', 'filter.evil.clean', 'filter.evil.smudge', 'core.fsmonitor']) {
      repository.git('config', key, `touch ${canary}`);
    }
    expect(await decide(reviewed, { base, head: rebased })).toBe('clean_merge');
    expect(existsSync(canary)).toBe(false);
  });
});
