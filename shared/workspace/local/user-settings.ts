/** Reads single settings as git would for this user: from the repository, then from the user, then from the machine. */
import { join } from 'node:path';
import type { Git } from '../git/git.ts';

export type UserEnvironment = Readonly<Record<string, string | undefined>>;

/** `path`: `~` is resolved, as git does for settings that name a file. */
export type GitSetting = { readonly key: string; readonly type?: 'path' };

/** The folder of git's own files below the user's configuration; null if the user has no home folder. */
export const userFolder = ({ HOME: home = '', XDG_CONFIG_HOME: named = '' }: UserEnvironment): string | null => {
  // As for git, an empty variable counts as unset.
  if (named !== '') return join(named, 'git');
  return home === '' ? null : join(home, '.config', 'git');
};

/** Returns the value of one file; null if the file has none, is not there or cannot be read. */
const askFile = async (
  git: Git,
  { from, home, setting }: { readonly from: readonly string[]; readonly home: string; readonly setting: GitSetting },
  signal: AbortSignal,
): Promise<string | null> => {
  const type = setting.type === undefined ? [] : [`--type=${setting.type}`];
  const args = ['config', ...from, '--includes', ...type, '--get', setting.key];
  const { stdout, exitCode } = await git.run(args, { env: { HOME: home }, answers: [1, 128] }, signal);
  const value = stdout.toString('utf8').replace(/\n$/, '');
  return exitCode === 0 && value !== '' ? value : null;
};

/** Reading a configuration never runs a program. Null if the setting is nowhere. */
export const findSetting = async (
  original: Git,
  env: UserEnvironment,
  setting: GitSetting,
  signal: AbortSignal,
): Promise<string | null> => {
  const { HOME: home = '' } = env;
  const folder = userFolder(env);
  const files = [
    ...(home === '' ? [] : [join(home, '.gitconfig')]),
    ...(folder === null ? [] : [join(folder, 'config')]),
    '/etc/gitconfig',
  ];
  for (const from of [['--local'], ...files.map((file) => ['--file', file])]) {
    const found = await askFile(original, { from, home: home === '' ? '/nonexistent' : home, setting }, signal);
    if (found !== null) return found;
  }
  return null;
};
