/** Work of a slot on its way back, on real repositories. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mergeResult, type MergeResult } from '../../../../services/slots/worktree/merge-result.ts';
import { findHome } from '../../../../services/slots/worktree/home.ts';
import {
  openRepository,
  type Repository,
  type RepositoryCall,
} from '../../../../services/slots/worktree/repository.ts';
import { addSlotTree, type SlotTree } from '../../../../services/slots/worktree/worktree.ts';
import { createLoopStage, type LoopStage } from '../loop-stage.ts';

const { signal } = new AbortController();
let stage: LoopStage;
let repository: Repository;
beforeEach(async () => {
  stage = createLoopStage();
  repository = await openRepository(stage.root, signal);
});
afterEach(() => stage.dispose());

const begin = async (): Promise<SlotTree> =>
  addSlotTree(repository, { name: 'r1-1-1', home: await findHome(repository, signal) }, signal);
const git = (tree: SlotTree, ...args: readonly string[]): string => stage.git('-C', tree.path, ...args);
const write = (folder: string, name: string, text: string): void => writeFileSync(join(folder, name), text);
/** A commit of the user's own. */
const commit = (name: string, text: string): void => {
  write(stage.root, name, text);
  stage.git('add', name);
  stage.git('commit', '--quiet', '-m', `mine: ${name}`);
};
const back = (tree: SlotTree, through = repository): Promise<MergeResult> =>
  mergeResult(through, { tree, task: null }, signal);
const kept = (reason: string) => ({ kind: 'kept', reason: expect.stringContaining(reason) });
const hook = (name: string): void =>
  writeFileSync(join(stage.root, '.git', 'hooks', name), '#!/bin/sh\necho refused by the hook >&2\nexit 1\n', {
    mode: 0o755,
  });
const subjects = (revision: string): readonly string[] => stage.git('log', '--format=%s', revision).split('\n');
const trees = (): number => stage.git('worktree', 'list').split('\n').length;
const CHOSEN = 'Task chosen by the agent';

describe('work comes back to the branch on which the loop began', () => {
  it('and leaves neither tree nor branch', async () => {
    const tree = await begin();
    write(tree.path, 'b.txt', 'x\n');
    expect(await back(tree)).toEqual({ kind: 'done', changed: true, notes: [] });
    expect([subjects('main'), trees(), stage.git('branch', '--format=%(refname:short)')]).toEqual([
      [CHOSEN, 'begin'],
      1,
      'main',
    ]);
  });

  it('by a merge where the user has committed meanwhile', async () => {
    const tree = await begin();
    commit('c.txt', 'x\n');
    write(tree.path, 'b.txt', 'x\n');
    expect(await back(tree)).toEqual({ kind: 'done', changed: true, notes: [] });
    expect(subjects('main')[0]).toBe("Merge branch 'fixpoint/loop/r1-1-1'");
    expect(stage.git('status', '--porcelain')).toBe('');
  });

  it.each(['stayed', 'moved on'])('where another one is checked out and it %s', async (what) => {
    const tree = await begin();
    write(tree.path, 'b.txt', 'x\n');
    if (what === 'moved on') commit('c.txt', 'x\n');
    stage.git('checkout', '--quiet', '-b', 'other');
    commit('other.txt', 'x\n');
    expect(await back(tree)).toEqual({ kind: 'done', changed: true, notes: [] });
    expect(subjects('main')).toContain(CHOSEN);
    expect(subjects('main^{/mine|begin}')).not.toContain('mine: other.txt');
    expect(subjects('other')).not.toContain(CHOSEN);
    expect([stage.git('branch', '--show-current'), stage.git('status', '--porcelain'), trees()]).toEqual([
      'other',
      '',
      1,
    ]);
  });

  it('from a branch that the agent made in its tree', async () => {
    const tree = await begin();
    git(tree, 'checkout', '--quiet', '-b', 'of-the-agent');
    write(tree.path, 'b.txt', 'x\n');
    const notes = ['branches of the agent, or with unmerged commits: of-the-agent'];
    expect(await back(tree)).toEqual({ kind: 'done', changed: true, notes });
    expect(subjects('main')).toEqual([CHOSEN, 'begin']);
  });

  it('and nothing is to be done where the agent did nothing, even though the branch is gone', async () => {
    const tree = await begin();
    stage.git('branch', '--quiet', '--move', 'main', 'renamed');
    expect(await back(tree)).toEqual({ kind: 'done', changed: false, notes: [] });
    expect(trees()).toBe(1);
  });
});

describe('work is kept on its own branch, and that is said,', () => {
  it('where it conflicts, whether its home is checked out or not', async () => {
    const tree = await begin();
    write(tree.path, 'a.txt', 'theirs\n');
    commit('a.txt', 'mine\n');
    const reason = `the work conflicts with the current state of main; the work is in ${tree.path}, on ${tree.branch}`;
    expect(await back(tree)).toEqual({ kind: 'kept', reason });
    stage.git('checkout', '--quiet', '-b', 'other');
    expect(await back(tree)).toEqual({ kind: 'kept', reason });
    expect([subjects('main')[0], git(tree, 'branch', '--show-current'), git(tree, 'status', '--porcelain')]).toEqual([
      'mine: a.txt',
      tree.branch,
      '',
    ]);
  });

  it('where its home is checked out in another work tree', async () => {
    const tree = await begin();
    write(tree.path, 'b.txt', 'x\n');
    stage.git('checkout', '--quiet', '-b', 'other');
    stage.git('worktree', 'add', '--quiet', join(stage.root, '..', 'elsewhere'), 'main');
    expect(await back(tree)).toEqual(kept('git fetch failed'));
    expect([subjects('main'), git(tree, 'branch', '--show-current')]).toEqual([['begin'], tree.branch]);
  });

  it('where its home is gone', async () => {
    const tree = await begin();
    write(tree.path, 'b.txt', 'x\n');
    stage.git('branch', '--quiet', '--move', 'main', 'renamed');
    expect(await back(tree)).toEqual(kept('main no longer exists'));
  });

  it('where the loop began on no branch and another commit is checked out', async () => {
    commit('c.txt', 'x\n');
    stage.git('checkout', '--quiet', '--detach');
    const tree = await begin();
    write(tree.path, 'b.txt', 'x\n');
    for (const elsewhere of [['main'], ['--detach', 'HEAD^']]) {
      stage.git('checkout', '--quiet', ...elsewhere);
      expect(await back(tree)).toEqual(kept('is no longer checked out'));
    }
    stage.git('checkout', '--quiet', '--detach', 'main');
    expect(await back(tree)).toEqual({ kind: 'done', changed: true, notes: [] });
    const before = ['mine: c.txt', 'begin'];
    expect([subjects('main'), subjects('HEAD')]).toEqual([before, [CHOSEN, ...before]]);
  });

  it('where a hook refuses the commit, and nothing is lost', async () => {
    const tree = await begin();
    write(tree.path, 'b.txt', 'x\n');
    hook('pre-commit');
    expect(await back(tree)).toEqual(kept(`git commit failed: refused by the hook; the work is in ${tree.path}`));
    expect(git(tree, 'status', '--porcelain')).toBe('A  b.txt');
  });

  it('where a hook refuses the merge: that is no conflict', async () => {
    const tree = await begin();
    commit('c.txt', 'x\n');
    write(tree.path, 'b.txt', 'x\n');
    hook('pre-merge-commit');
    expect(await back(tree)).toEqual(kept('git merge failed: refused by the hook'));
    expect(stage.git('status')).not.toContain('merg');
  });

  it('where the user is in a merge of his own, which goes on', async () => {
    const tree = await begin();
    write(tree.path, 'b.txt', 'x\n');
    stage.git('branch', 'other');
    commit('c.txt', 'x\n');
    stage.git('checkout', '--quiet', 'other');
    commit('d.txt', 'x\n');
    stage.git('checkout', '--quiet', 'main');
    stage.git('merge', '--quiet', '--no-commit', 'other');
    expect(await back(tree)).toEqual(kept('you have a merge in progress'));
    expect(stage.git('rev-parse', 'MERGE_HEAD')).toBe(stage.git('rev-parse', 'other'));
  });

  it.each([
    ['went back behind what it committed', ['reset', '--quiet', '--hard', 'HEAD^'], 'lacks commits of the task'],
    ['is on a branch without a commit', ['checkout', '--quiet', '--orphan', 'new'], 'on a branch without a commit'],
  ])('where its tree %s', async (_, args, reason) => {
    const tree = await begin();
    git(tree, 'commit', '--quiet', '--allow-empty', '-m', 'one');
    if (args[0] === 'reset') git(tree, 'checkout', '--quiet', '--detach');
    git(tree, ...args);
    write(tree.path, 'b.txt', 'x\n');
    expect(await back(tree)).toEqual(kept(reason));
    expect(subjects(tree.branch)[0]).toBe('one');
  });
});

it('leaves hooks the time for the tests of a project', async () => {
  const tree = await begin();
  commit('c.txt', 'x\n');
  write(tree.path, 'b.txt', 'x\n');
  const limits: Record<string, number | undefined> = {};
  const watched: Repository = {
    ...repository,
    try: (args, call: RepositoryCall, stop) => {
      limits[args[0] ?? ''] = call.timeoutMs;
      return repository.try(args, call, stop);
    },
  };
  await back(tree, watched);
  expect([limits['commit'], limits['merge']]).toEqual([30 * 60_000, 30 * 60_000]);
});
