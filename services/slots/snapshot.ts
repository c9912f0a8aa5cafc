import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LoopError } from './settings/errors.ts';
import type { Repository } from './worktree/repository.ts';
import { DIFF_PARTS, type DiffPart, type DiffSnapshot } from './task/reviewer-context.ts';

export type Snapshot = {
  /** Id of the git tree of all files, including untracked files. Equal ids mean equal work. */
  readonly tree: string;
  readonly diff: DiffSnapshot;
};

/** Far more than the reviewer sees, so that the prompt can say how much was left out. */
const MAX_DIFF_BYTES = 4 * 1024 * 1024;

const writeTree = async (
  repository: Repository,
  { cwd, index, what }: { readonly cwd: string; readonly index: string; readonly what: '--update' | '--all' },
  signal: AbortSignal,
): Promise<string> => {
  const env = { GIT_INDEX_FILE: index };
  await repository.ask(['add', what, '--sparse', '--', ':/'], { cwd, env }, signal);
  return repository.ask(['write-tree'], { cwd, env }, signal);
};

const DIFF = [
  'diff',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-relative',
  '--ignore-submodules=none',
  '--submodule=diff',
];

type Compared = { readonly text: string; readonly isWhole: boolean };
type Revisions = { readonly cwd: string; readonly from: string; readonly to: string };

const compare = async (
  repository: Repository,
  { cwd, from, to }: Revisions,
  signal: AbortSignal,
): Promise<Compared> => {
  const call = { cwd, maxBytes: MAX_DIFF_BYTES };
  const { exitCode, stdout, truncated } = await repository.try([...DIFF, from, to, '--'], call, signal);
  if (exitCode !== 0 && !truncated) throw new LoopError('LOOP_REPOSITORY', 'git could not compare two trees');
  return { text: stdout.toString('utf8').trim(), isWhole: !truncated };
};

const snapshotOf = (parts: Readonly<Record<DiffPart, Compared>>): DiffSnapshot => ({
  committed: parts.committed.text,
  uncommitted: parts.uncommitted.text,
  untracked: parts.untracked.text,
  unfinished: DIFF_PARTS.filter((part) => !parts[part].isWhole),
});

/** `base` is the commit at which the slot began. @throws LoopError when git fails */
export const takeSnapshot = async (
  repository: Repository,
  { cwd, base }: { readonly cwd: string; readonly base: string },
  signal: AbortSignal,
): Promise<Snapshot> => {
  const original = resolve(cwd, await repository.ask(['rev-parse', '--git-path', 'index'], { cwd }, signal));
  const index = join(resolve(original, '..'), 'fixpoint-index');
  try {
    await copyFile(original, index);
    const tracked = await writeTree(repository, { cwd, index, what: '--update' }, signal);
    const tree = await writeTree(repository, { cwd, index, what: '--all' }, signal);
    return {
      tree,
      diff: snapshotOf({
        committed: await compare(repository, { cwd, from: base, to: 'HEAD' }, signal),
        uncommitted: await compare(repository, { cwd, from: 'HEAD', to: tracked }, signal),
        untracked: await compare(repository, { cwd, from: tracked, to: tree }, signal),
      }),
    };
  } finally {
    await rm(index, { force: true });
  }
};
