import type { Git } from '../git/git.ts';

const lineOf = async (git: Git, args: readonly string[], signal: AbortSignal): Promise<string | null> => {
  const { stdout, exitCode } = await git.run(args, { answers: [1, 128] }, signal);
  const [line = ''] = stdout.toString('utf8').split('\n');
  return exitCode === 0 && line !== '' ? line : null;
};

/** The remote of the checked-out branch, otherwise `origin`, otherwise the only remote. */
const findRemote = async (git: Git, signal: AbortSignal): Promise<string | null> => {
  const branch = await lineOf(git, ['symbolic-ref', '--quiet', '--short', 'HEAD'], signal);
  const own = branch === null ? null : await lineOf(git, ['config', '--get', `branch.${branch}.remote`], signal);
  // A branch may also track another branch of the same repository.
  if (own !== null && own !== '.') return own;
  const { stdout } = await git.run(['remote'], {}, signal);
  const remotes = stdout
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
  return remotes.includes('origin') ? 'origin' : remotes.length === 1 ? (remotes[0] ?? null) : null;
};

const USUAL = ['main', 'master'];

/**
 * The default branch of the remote as this clone knows it, such as `origin/main`. If the clone does not record it, the common
 * branch name that exists is used. Null if there is no remote or the name is not certain.
 */
export const findDefaultBranch = async (git: Git, signal: AbortSignal): Promise<string | null> => {
  const remote = await findRemote(git, signal);
  if (remote === null) return null;
  const recorded = await lineOf(git, ['symbolic-ref', '--quiet', `refs/remotes/${remote}/HEAD`], signal);
  if (recorded !== null && (await exists(git, recorded, signal))) return recorded.replace(/^refs\/remotes\//, '');
  const found: string[] = [];
  for (const name of USUAL) if (await exists(git, `refs/remotes/${remote}/${name}`, signal)) found.push(name);
  const [only] = found;
  return only !== undefined && found.length === 1 ? `${remote}/${only}` : null;
};

const exists = async (git: Git, ref: string, signal: AbortSignal): Promise<boolean> =>
  (await lineOf(git, ['rev-parse', '--verify', '--quiet', '--end-of-options', ref], signal)) !== null;
