import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRepository } from '../../../services/slots/worktree/repository.ts';
import { type Snapshot, takeSnapshot } from '../../../services/slots/snapshot.ts';
import { createLoopStage, type LoopStage } from './loop-stage.ts';

let stage: LoopStage;
beforeEach(() => {
  stage = createLoopStage();
});
afterEach(() => stage.dispose());

const take = async (): Promise<Snapshot> => {
  const { signal } = new AbortController();
  return takeSnapshot(await openRepository(stage.root, signal), { cwd: stage.root, base: 'HEAD' }, signal);
};

it('names the tree with what git does not know yet, and leaves the index alone', async () => {
  const before = await take();
  writeFileSync(join(stage.root, 'new.txt'), 'x\n');
  const after = await take();
  expect(before).toMatchObject({ diff: { committed: '', uncommitted: '', untracked: '', unfinished: [] } });
  expect(after.tree).not.toBe(before.tree);
  expect(after.diff).toMatchObject({ uncommitted: '', untracked: expect.stringContaining('+x'), unfinished: [] });
  expect(stage.git('status', '--porcelain')).toBe('?? new.txt');
});

it('says which part of a diff it did not read to its end', async () => {
  writeFileSync(join(stage.root, 'a.txt'), 'more\n');
  writeFileSync(join(stage.root, 'new.txt'), 'sixteen letters\n'.repeat(300_000));
  const { diff } = await take();
  expect(diff.unfinished).toEqual(['untracked']);
  expect(diff.untracked.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(diff.uncommitted).toContain('+more');
});
