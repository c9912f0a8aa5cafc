import { resolve } from 'node:path';
import type { Git } from '../git/git.ts';

/** Returns the path of one of the repository's own files. A linked work tree shares most of them with the main work tree. */
export const askGitPath = async (git: Git, name: string, signal: AbortSignal): Promise<string> => {
  const { stdout } = await git.run(['rev-parse', '--git-path', name], {}, signal);
  return resolve(git.gitDir, stdout.toString('utf8').replace(/\n$/, ''));
};
