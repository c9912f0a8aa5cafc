/** Reads the ignore lists that git would use for this user in addition to the `.gitignore` files of the tree. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askGitPath } from './git-path.ts';
import type { Git } from '../git/git.ts';

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

type Environment = Readonly<Record<string, string | undefined>>;

/** Reading a configuration never runs a program. `--type=path` resolves `~`. */
const askFile = async (
  git: Git,
  from: readonly string[],
  home: string,
  signal: AbortSignal,
): Promise<string | null> => {
  const args = ['config', ...from, '--includes', '--type=path', '--get', 'core.excludesFile'];
  const { stdout, exitCode } = await git.run(args, { env: { HOME: home }, answers: [1, 128] }, signal);
  const path = stdout.toString('utf8').replace(/\n$/, '');
  return exitCode === 0 && path !== '' ? path : null;
};

const userFile = async (original: Git, env: Environment, signal: AbortSignal): Promise<string | null> => {
  const { HOME: home = '', XDG_CONFIG_HOME: named = '' } = env;
  const fromHome = home === '' ? '' : join(home, '.config');
  // As for git, an empty variable counts as unset.
  const config = named === '' ? fromHome : named;
  const files = [
    ...(home === '' ? [] : [join(home, '.gitconfig')]),
    ...(config === '' ? [] : [join(config, 'git/config')]),
  ];
  for (const from of [['--local'], ...files.map((file) => ['--file', file]), ['--file', '/etc/gitconfig']]) {
    const found = await askFile(original, from, home === '' ? '/nonexistent' : home, signal);
    if (found !== null) return found;
  }
  return config === '' ? null : join(config, 'git/ignore');
};

/**
 * Joins the lists; in git, a later line overrides an earlier line. Ignored files may contain secrets, so they must not
 * be reviewed as new files.
 */
export const readIgnored = async (original: Git, env: Environment, signal: AbortSignal): Promise<string> => {
  const file = await userFile(original, env, signal);
  const own = await askGitPath(original, 'info/exclude', signal);
  return [file === null ? '' : await readIfThere(file), await readIfThere(own)].join('\n');
};
