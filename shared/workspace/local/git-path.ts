import { resolve } from 'node:path';
import type { Git } from '../git/git.ts';

/** Where a repository keeps one of its own files: a linked work tree shares most of them with its main one. */
export const askGitPath = async (git: Git, name: string, signal: AbortSignal): Promise<string> => {
  const { stdout } = await git.run(['rev-parse', '--git-path', name], {}, signal);
  return resolve(git.gitDir, stdout.toString('utf8').replace(/\n$/, ''));
};
