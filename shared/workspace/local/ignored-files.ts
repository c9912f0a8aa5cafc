/** Reads the ignore lists that git would use for this user in addition to the `.gitignore` files of the tree. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askGitPath } from './git-path.ts';
import type { Git } from '../git/git.ts';
import { type UserEnvironment, findSetting, userFolder } from './user-settings.ts';

const readIfThere = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const missing =
      error instanceof Error && 'code' in error && /^(?:ENOENT|ENOTDIR|EACCES|EISDIR)$/.test(String(error.code));
    if (missing) return '';
    throw error;
  }
};

const userFile = async (original: Git, env: UserEnvironment, signal: AbortSignal): Promise<string | null> => {
  const found = await findSetting(original, env, { key: 'core.excludesFile', type: 'path' }, signal);
  const folder = userFolder(env);
  return found ?? (folder === null ? null : join(folder, 'ignore'));
};

/**
 * Joins the lists; in git, a later line overrides an earlier line. Ignored files may contain secrets, so they must not
 * be reviewed as new files.
 */
export const readIgnored = async (original: Git, env: UserEnvironment, signal: AbortSignal): Promise<string> => {
  const file = await userFile(original, env, signal);
  const own = await askGitPath(original, 'info/exclude', signal);
  return [file === null ? '' : await readIfThere(file), await readIfThere(own)].join('\n');
};
