import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitSha } from '../../vocabulary/ids.ts';
import { createGit, type Git } from './git.ts';
import type { Revisions } from './revisions.ts';

/** The head that a review looked at, and the merge base of its diff. */
export type ReviewedHead = { readonly base: CommitSha; readonly head: CommitSha };

/**
 * - `same_tree`: base and head have the same trees as the reviewed base and head.
 * - `clean_merge`: a merge of the reviewed head with the new base has no conflict and produces exactly the tree of the
 *   head, as after a rebase or a merge of the target branch.
 * - `different`: anything else, including cases that git cannot decide.
 */
export type SameInput = 'same_tree' | 'clean_merge' | 'different';

export type SameInputSettings = {
  readonly git: Git;
  readonly gitPath: string;
  readonly revisions: Revisions;
  /** Folder for temporary objects of the merge; nothing is written to the repository itself. */
  readonly scratchFolder: string;
};

/** The identity is constant, so that equal inputs create equal objects. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'fixpoint',
  GIT_AUTHOR_EMAIL: 'fixpoint@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'fixpoint',
  GIT_COMMITTER_EMAIL: 'fixpoint@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
};

const MERGE_TIMEOUT_MS = 60_000;

/** Exit codes for a conflict, a missing object, and git before 2.38, which lacks `merge-tree --write-tree`. */
const CANNOT_SAY = [1, 128, 129];

const withScratch = async <T>(settings: SameInputSettings, work: (git: Git) => Promise<T>): Promise<T> => {
  await mkdir(settings.scratchFolder, { recursive: true, mode: 0o700 });
  const objectDirectory = await mkdtemp(join(settings.scratchFolder, 'merge-'));
  try {
    const { gitDir } = settings.git;
    await mkdir(join(objectDirectory, 'info'));
    await writeFile(join(objectDirectory, 'info', 'alternates'), `${join(gitDir, 'objects')}\n`);
    return await work(createGit({ gitPath: settings.gitPath, gitDir, allowProtocols: [], objectDirectory }));
  } finally {
    await rm(objectDirectory, { recursive: true, force: true });
  }
};

const commitTree = async (git: Git, treeId: string, parent: string | null, signal: AbortSignal): Promise<string> => {
  const args = ['commit-tree', treeId, ...(parent === null ? [] : ['-p', parent]), '-m', 'same input'];
  return (await git.run(args, { env: IDENTITY }, signal)).stdout.toString('latin1').trim();
};

type Trees = { readonly base: string; readonly reviewed: string; readonly newBase: string };

/**
 * Returns the tree of the three-way merge, or null after a conflict. It merges temporary commits that contain the
 * trees, because the real histories may be shallow, and `merge-tree --merge-base` needs a newer git.
 */
const mergeTrees = (settings: SameInputSettings, trees: Trees, signal: AbortSignal): Promise<string | null> =>
  withScratch(settings, async (git) => {
    const base = await commitTree(git, trees.base, null, signal);
    const reviewed = await commitTree(git, trees.reviewed, base, signal);
    const newBase = await commitTree(git, trees.newBase, base, signal);
    const args = ['merge-tree', '--write-tree', '--no-messages', reviewed, newBase];
    const options = { answers: CANNOT_SAY, timeoutMs: MERGE_TIMEOUT_MS, mayTruncate: true };
    const { exitCode, stdout } = await git.run(args, options, signal);
    return exitCode === 0 ? stdout.toString('latin1').trim() : null;
  });

/** Decides whether a verdict on `reviewed` also holds for `current`. Whitespace counts, because some languages need it. */
export const decideSameInput = async (
  settings: SameInputSettings,
  inputs: { readonly reviewed: ReviewedHead; readonly current: ReviewedHead },
  signal: AbortSignal,
): Promise<SameInput> => {
  const { reviewed, current } = inputs;
  const treeOf = (commit: CommitSha): Promise<string> => settings.revisions.treeOf(commit, signal);
  const trees: Trees = {
    base: await treeOf(reviewed.base),
    reviewed: await treeOf(reviewed.head),
    newBase: await treeOf(current.base),
  };
  const actual = await treeOf(current.head);
  // If the base is unchanged, the merge can only produce the reviewed tree. If the base is new, an unchanged tree is not
  // enough: `git merge -s ours` keeps the reviewed tree and so reverts what happened on the target branch.
  if (trees.base === trees.newBase) return actual === trees.reviewed ? 'same_tree' : 'different';
  return (await mergeTrees(settings, trees, signal)) === actual ? 'clean_merge' : 'different';
};
