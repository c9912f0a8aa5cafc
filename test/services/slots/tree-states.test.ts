/**
 * States in which an agent may leave its work tree: what comes back, what is kept, what is said. Whatever was in the
 * tree is afterwards in a branch of the user, or still where it was, and a line says so.
 */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mergeResult, type MergeResult } from '../../../services/slots/worktree/merge-result.ts';
import { findHome } from '../../../services/slots/worktree/home.ts';
import { findLeftOvers } from '../../../services/slots/worktree/left-over.ts';
import { openRepository, type Repository } from '../../../services/slots/worktree/repository.ts';
import { addSlotTree, type SlotTree } from '../../../services/slots/worktree/worktree.ts';
import { createLoopStage, type LoopStage } from './loop-stage.ts';
import { agentIn, type State } from './tree-agent.ts';
import { statesOfFiles, statesOfRepositories } from './tree-states-files.ts';
import { statesOfHead, statesOfTree } from './tree-states-git.ts';

const { signal } = new AbortController();
let stage: LoopStage;
let repository: Repository;
beforeEach(() => {
  stage = createLoopStage();
});
afterEach(() => stage.dispose());

const at = (): LoopStage => stage;
const STATES = [...statesOfFiles(at), ...statesOfRepositories(at), ...statesOfHead(at), ...statesOfTree(at)];

const wordsOf = (back: MergeResult): string => (back.kind === 'kept' ? back.reason : back.notes.join('; '));

const run = async ({ before, agent }: State): Promise<{ readonly back: MergeResult; readonly tree: SlotTree }> => {
  before?.();
  repository = await openRepository(stage.root, signal);
  const home = await findHome(repository, signal);
  const tree = await addSlotTree(repository, { name: 'r1-1-1', home }, signal);
  agent(agentIn(at, tree));
  return { tree, back: await mergeResult(repository, { tree, task: null }, signal) };
};

const check = async (state: State): Promise<void> => {
  const { back, tree } = await run(state);
  const said = wordsOf(back);
  const isOver = back.kind === 'done';
  expect([back.kind, isOver && back.changed]).toEqual(
    state.what === 'kept' ? ['kept', false] : ['done', state.what !== 'unchanged'],
  );
  expect(said).toMatch(state.said ?? /^$/);
  for (const [path, text] of Object.entries(state.home ?? {}))
    expect(readFileSync(join(stage.root, path), 'utf8')).toBe(text);
  for (const path of state.inTree ?? []) expect(existsSync(join(tree.path, path))).toBe(true);
  const left = await findLeftOvers(repository, 'r1', signal);
  const isLeft = state.what === 'kept' || state.what === 'stays' || state.inTree !== undefined;
  expect(left.map(({ branch }) => branch)).toEqual(isLeft ? [tree.branch] : []);
  if (isLeft) expect(left[0]?.removeWith).toContain(`branch -D ${tree.branch}`);
};

describe('a work tree that its agent left', () => {
  it.each(STATES)('as $name', check);
});

/** Settings of a user that make git look away, ask, refuse or do more. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['status.showUntrackedFiles', 'no'],
  ['core.excludesFile', '/nonexistent'],
  ['core.fsmonitor', 'true'],
  ['core.untrackedCache', 'true'],
  ['core.fileMode', 'false'],
  ['core.ignoreCase', 'true'],
  ['core.trustctime', 'false'],
  ['core.checkStat', 'minimal'],
  ['core.commentChar', 'T'],
  ['core.logAllRefUpdates', 'false'],
  ['core.splitIndex', 'true'],
  ['core.quotePath', 'false'],
  ['submodule.recurse', 'true'],
  ['diff.ignoreSubmodules', 'all'],
  ['diff.noprefix', 'true'],
  ['commit.cleanup', 'strip'],
  ['commit.verbose', 'true'],
  ['add.ignoreErrors', 'true'],
  ['merge.ff', 'only'],
  ['merge.autoStash', 'true'],
  ['branch.main.mergeOptions', '--squash'],
  ['pull.rebase', 'true'],
  ['push.default', 'nothing'],
  ['fetch.prune', 'true'],
  ['fetch.pruneTags', 'true'],
  ['protocol.file.allow', 'never'],
  ['index.sparse', 'true'],
  ['worktree.guessRemote', 'true'],
  ['branch.autoSetupMerge', 'always'],
];
const UNDER_ALL = ['untracked', 'a mode alone', 'a name in another case', 'a commit in a submodule (F-B1)'];
UNDER_ALL.push(
  'an untracked file in a submodule',
  'an ignored file that a tracked one needs (F-B3)',
  'staged',
  'changed',
);

describe('F-B2: whatever the user has set, a work tree that its agent left', () => {
  it.each(STATES.filter(({ name }) => UNDER_ALL.includes(name)))('as $name', async (state) => {
    const before = (): void => {
      state.before?.();
      for (const [name, value] of SETTINGS) stage.git('config', name, value);
    };
    await check({ ...state, before });
  });

  it.each(SETTINGS)('under %s=%s comes back with its new file and its new mode', async (name, value) => {
    await check({
      name,
      before: () => void stage.git('config', name, value),
      agent: ({ write, path }) => {
        write('n/b.txt', 'b\n');
        chmodSync(path('a.txt'), 0o755);
      },
      what: 'back',
      home: { 'n/b.txt': 'b\n' },
    });
    expect(stage.git('ls-tree', 'main', 'a.txt')).toMatch(/^100755/);
  });
});
