import { afterEach, beforeEach, expect, it } from 'vitest';
import { findHome } from '../../../../services/slots/worktree/home.ts';
import { openRepository } from '../../../../services/slots/worktree/repository.ts';
import { addSlotTree } from '../../../../services/slots/worktree/worktree.ts';
import { createLoopStage, type LoopStage } from '../loop-stage.ts';

const { signal } = new AbortController();
let stage: LoopStage;
beforeEach(() => {
  stage = createLoopStage();
});
afterEach(() => stage.dispose());

it('begins where the loop began, whatever is checked out by then, and not at all where that is gone', async () => {
  const repository = await openRepository(stage.root, signal);
  const home = await findHome(repository, signal);
  const base = stage.git('rev-parse', 'main');
  stage.git('checkout', '--quiet', '-b', 'other');
  stage.git('commit', '--quiet', '--allow-empty', '-m', 'mine');
  const tree = await addSlotTree(repository, { name: 'r1-1-1', home }, signal);
  expect([tree.base, stage.git('-C', tree.path, 'rev-parse', 'HEAD')]).toEqual([base, base]);
  stage.git('branch', '--quiet', '--move', 'main', 'renamed');
  await expect(addSlotTree(repository, { name: 'r1-2-1', home }, signal)).rejects.toThrow('main no longer exists');
});
