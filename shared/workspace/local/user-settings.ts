/** Reads single settings as git would for this user: from the worktree, the repository, the user, then the machine. */
import { join, resolve } from 'node:path';
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

/** True for the values that git reads as true. */
const isTrue = (value = ''): boolean => /^(?:true|yes|on|-?0*[1-9]\d*)$/i.test(value);

/** Files in git's order, those that count first. A file named by a variable replaces the usual ones; an empty name means none. */
const filesOf = (env: UserEnvironment): readonly string[] => {
  const { HOME: home = '', GIT_CONFIG_GLOBAL: global } = env;
  const { GIT_CONFIG_SYSTEM: system = '/etc/gitconfig', GIT_CONFIG_NOSYSTEM: withoutSystem } = env;
  const folder = userFolder(env);
  const usual = [
    ...(home === '' ? [] : [join(home, '.gitconfig')]),
    ...(folder === null ? [] : [join(folder, 'config')]),
  ];
  const ofUser = global === undefined ? usual : [global];
  const ofMachine = isTrue(withoutSystem) ? [] : [system];
  return [...ofUser, ...ofMachine].filter((file) => file !== '').map((file) => resolve(file));
};

/** Reading a configuration never runs a program. Null if the setting is nowhere. */
export const findSetting = async (
  original: Git,
  env: UserEnvironment,
  setting: GitSetting,
  signal: AbortSignal,
): Promise<string | null> => {
  const { HOME: home = '' } = env;
  // A worktree has its own settings if `extensions.worktreeConfig` is set, as by `git sparse-checkout`.
  for (const from of [['--worktree'], ['--local'], ...filesOf(env).map((file) => ['--file', file])]) {
    const found = await askFile(original, { from, home: home === '' ? '/nonexistent' : home, setting }, signal);
    if (found !== null) return found;
  }
  return null;
};
