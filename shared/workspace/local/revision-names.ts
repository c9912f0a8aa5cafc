import { CommitSha } from '../../vocabulary/ids.ts';
import type { Git } from '../git/git.ts';

export type RevisionNames = {
  /** Resolves a branch, tag, id or expression such as `HEAD~2`; null when it names no commit, or is ambiguous. */
  resolveRevision(revision: string, signal: AbortSignal): Promise<CommitSha | null>;
  /** Returns true when both a branch and a tag have this name. git prefers the tag. */
  isTagAndBranch(revision: string, signal: AbortSignal): Promise<boolean>;
  /** Returns true when the name is known, but what it names is missing in this repository. */
  lacksObject(revision: string, signal: AbortSignal): Promise<boolean>;
  /** Remote branches with this name, such as `origin/main` for `main`. */
  remoteBranches(name: string, signal: AbortSignal): Promise<readonly string[]>;
};

const MAX_CHARACTERS = 1000;

/** Returns true for text that is safe as one argument. git validates the rest. */
const isArgument = (text: string): boolean =>
  text !== '' && text.length <= MAX_CHARACTERS && !text.startsWith('-') && !text.includes('\0');

const verify = async (git: Git, expression: string, signal: AbortSignal): Promise<string | null> => {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', expression];
  const { stdout, exitCode } = await git.run(args, { answers: [1, 128] }, signal);
  return exitCode === 0 ? stdout.toString('latin1').trim() : null;
};

/** After `:/` or `:`, git reads the whole rest as text or path, even `^{commit}`. So such expressions are resolved first. */
const resolveWith =
  (git: Git): RevisionNames['resolveRevision'] =>
  async (revision, signal) => {
    if (!isArgument(revision)) return null;
    const named = revision.startsWith(':') ? await verify(git, revision, signal) : revision;
    const found = named === null ? null : await verify(git, `${named}^{commit}`, signal);
    const parsed = CommitSha.safeParse(found);
    return parsed.success ? parsed.data : null;
  };

/** Full names of refs. A pattern is a glob, or a prefix of whole path segments. */
const listRefs = async (git: Git, patterns: readonly string[], signal: AbortSignal): Promise<readonly string[]> => {
  const { stdout } = await git.run(['for-each-ref', '--format=%(refname)', '--', ...patterns], {}, signal);
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
};

export const createRevisionNames = (git: Git): RevisionNames => ({
  resolveRevision: resolveWith(git),
  isTagAndBranch: async (revision, signal) => {
    if (!isArgument(revision)) return false;
    const wanted = [`refs/heads/${revision}`, `refs/tags/${revision}`];
    const refs = await listRefs(git, wanted, signal);
    return wanted.every((ref) => refs.includes(ref));
  },
  lacksObject: async (revision, signal) => {
    const id = isArgument(revision) ? await verify(git, revision, signal) : null;
    if (id === null) return false;
    const { exitCode } = await git.run(['cat-file', '-e', id], { answers: [1, 128] }, signal);
    return exitCode !== 0;
  },
  remoteBranches: async (name, signal) => {
    if (!isArgument(name)) return [];
    const refs = await listRefs(git, ['refs/remotes/'], signal);
    return refs.filter((ref) => ref.endsWith(`/${name}`)).map((ref) => ref.slice('refs/remotes/'.length));
  },
});
