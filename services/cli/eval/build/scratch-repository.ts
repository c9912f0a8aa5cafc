/** A bare repository for commits that no other repository has. It can read the objects of another one. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createGit, type Git } from '../../../../shared/workspace/git/git.ts';
import { askGitPath } from '../../../../shared/workspace/local/git-path.ts';
import { initBare } from '../../../../shared/workspace/mirror/mirror-folder.ts';
import { CommitSha } from '../../../../shared/vocabulary/ids.ts';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Fixpoint',
  GIT_AUTHOR_EMAIL: 'fixpoint@localhost',
  GIT_AUTHOR_DATE: '@1700000000 +0000',
  GIT_COMMITTER_NAME: 'Fixpoint',
  GIT_COMMITTER_EMAIL: 'fixpoint@localhost',
  GIT_COMMITTER_DATE: '@1700000000 +0000',
};

export const createScratch = async (
  { folder, gitPath, borrowed }: { readonly folder: string; readonly gitPath: string; readonly borrowed?: Git },
  signal: AbortSignal,
): Promise<Git> => {
  const gitDir = await mkdtemp(path.join(folder, 'case-'));
  const git = createGit({ gitPath, gitDir, allowProtocols: [] });
  await initBare(git, borrowed === undefined ? 'sha1' : await formatOfObjects(borrowed, signal), signal);
  if (borrowed !== undefined) {
    await mkdir(path.join(gitDir, 'objects', 'info'), { recursive: true });
    const objects = await askGitPath(borrowed, 'objects', signal);
    await writeFile(path.join(gitDir, 'objects', 'info', 'alternates'), `${objects}\n`);
  }
  return git;
};

const formatOfObjects = async (git: Git, signal: AbortSignal): Promise<'sha1' | 'sha256'> => {
  const { stdout } = await git.run(['rev-parse', '--show-object-format'], {}, signal);
  return stdout.toString('utf8').trim() === 'sha256' ? 'sha256' : 'sha1';
};

/** Commits a tree on `parent`. */
export const commitOn = async (
  git: Git,
  { tree, parent }: { readonly tree: string; readonly parent: string },
  signal: AbortSignal,
): Promise<CommitSha> => {
  const args = ['commit-tree', tree, '-p', parent, '-m', 'The change of an evaluation case'];
  return CommitSha.parse((await git.run(args, { env: IDENTITY }, signal)).stdout.toString('latin1').trim());
};
