/** What a slot changed, tracked or not, without touching its index. */
import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Repository } from './repository.ts';
import type { DiffSnapshot } from './reviewer-context.ts';

export type Snapshot = {
  /** Id of the whole tree, files that git does not know yet included. Equal trees are equal work. */
  readonly tree: string;
  readonly diff: DiffSnapshot;
};

/** Far more than a reviewer is shown: enough to say how much was left out. */
const MAX_DIFF_BYTES = 4 * 1024 * 1024;

const writeTree = async (
  repository: Repository,
  { cwd, index, what }: { readonly cwd: string; readonly index: string; readonly what: '--update' | '--all' },
  signal: AbortSignal,
): Promise<string> => {
  const env = { GIT_INDEX_FILE: index };
  await repository.ask(['add', what, '--', ':/'], { cwd, env }, signal);
  return repository.ask(['write-tree'], { cwd, env }, signal);
};

const DIFF = ['diff', '--no-color', '--no-ext-diff', '--no-textconv'];

const diff = async (
  repository: Repository,
  cwd: string,
  revisions: readonly string[],
  signal: AbortSignal,
): Promise<string> => {
  const call = { cwd, maxBytes: MAX_DIFF_BYTES };
  const { exitCode, stdout, truncated } = await repository.try([...DIFF, ...revisions, '--'], call, signal);
  if (exitCode !== 0 && !truncated) throw new Error('git could not compare two trees');
  return stdout.toString('utf8').trim();
};

/** `base`: the commit at which the slot began. @throws LoopError when git fails */
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
      diff: {
        committed: await diff(repository, cwd, [base, 'HEAD'], signal),
        uncommitted: await diff(repository, cwd, ['HEAD', tracked], signal),
        untracked: await diff(repository, cwd, [tracked, tree], signal),
      },
    };
  } finally {
    await rm(index, { force: true });
  }
};
