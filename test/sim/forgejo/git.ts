import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

export type GitInput = { readonly input?: string | Uint8Array; readonly env?: Readonly<Record<string, string>> };

/** Git failed; `stderr` is its own text, `code` its exit status. */
export class SimGitError extends Error {
  readonly code: number | null;
  readonly stderr: string;
  constructor(args: readonly string[], code: number | null, stderr: string) {
    super(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
    this.name = 'SimGitError';
    this.code = code;
    this.stderr = stderr;
  }
}

/** No configuration of the machine or of the user reaches the simulated server's git. */
export const gitEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
});

export const runGitBytes = (gitDir: string, args: readonly string[], options: GitInput = {}): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'core.quotePath=false', ...args], {
      cwd: gitDir,
      env: { ...gitEnvironment(), ...options.env },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out));
      else reject(new SimGitError(args, code, Buffer.concat(err).toString('utf8')));
    });
    child.stdin.end(options.input ?? '');
  });

export const runGit = async (gitDir: string, args: readonly string[], options: GitInput = {}): Promise<string> =>
  (await runGitBytes(gitDir, args, options)).toString('utf8');

export const resolveCommit = async (gitDir: string, revision: string): Promise<string | null> => {
  try {
    return (
      await runGit(gitDir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])
    ).trim();
  } catch (error) {
    if (error instanceof SimGitError) return null;
    throw error;
  }
};

/** The merge base, or the first argument when the histories are unrelated. */
export const mergeBase = async (gitDir: string, base: string, head: string): Promise<string> => {
  try {
    return (await runGit(gitDir, ['merge-base', base, head])).trim();
  } catch (error) {
    if (error instanceof SimGitError) return base;
    throw error;
  }
};

export type RefMap = ReadonlyMap<string, string>;

export const readBranches = async (gitDir: string): Promise<RefMap> => {
  const out = await runGit(gitDir, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads']);
  const pairs = out.split('\n').filter((line) => line !== '');
  return new Map(
    pairs.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice('refs/heads/'.length, space), line.slice(space + 1)];
    }),
  );
};

/** A bare repository as the forge configures it: any SHA may be fetched, partial clones work, pull refs are read-only. */
export const initBare = async (gitDir: string, defaultBranch: string): Promise<void> => {
  await runGit('/', ['init', '--quiet', '--bare', `--initial-branch=${defaultBranch}`, gitDir]);
  for (const [key, value] of [
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['uploadpack.allowFilter', 'true'],
    ['http.receivepack', 'true'],
    ['receive.hideRefs', 'refs/pull'],
    ['gc.auto', '0'],
    ['receive.autogc', 'false'],
  ] as const)
    await runGit(gitDir, ['config', key, value]);
};

export type FileMap = Readonly<Record<string, string | Uint8Array | null>>;

export type NewCommit = {
  readonly gitDir: string;
  readonly parents: readonly string[];
  readonly files: FileMap;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly atMs: number;
};

const identity = (commit: Pick<NewCommit, 'author' | 'atMs'>): Record<string, string> => {
  const date = `${Math.floor(commit.atMs / 1000)} +0000`;
  const { name, email } = commit.author;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
};

const zeroSha = '0'.repeat(40);
let indexCounter = 0;

const writeTree = async (commit: NewCommit): Promise<string> => {
  indexCounter += 1;
  const index = join(commit.gitDir, `sim-index-${process.pid}-${indexCounter}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    const [parent] = commit.parents;
    await runGit(commit.gitDir, parent === undefined ? ['read-tree', '--empty'] : ['read-tree', parent], { env });
    const entries: string[] = [];
    for (const [path, content] of Object.entries(commit.files)) {
      if (content === null) entries.push(`0 ${zeroSha}\t${path}\0`);
      else {
        const sha = (await runGit(commit.gitDir, ['hash-object', '-w', '--stdin'], { input: content })).trim();
        entries.push(`100644 ${sha}\t${path}\0`);
      }
    }
    await runGit(commit.gitDir, ['update-index', '-z', '--index-info'], { env, input: entries.join('') });
    return (await runGit(commit.gitDir, ['write-tree'], { env })).trim();
  } finally {
    await rm(index, { force: true });
  }
};

export const commitTree = async (commit: Omit<NewCommit, 'files'>, tree: string): Promise<string> => {
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', tree, ...parents, '-F', '-'];
  return (await runGit(commit.gitDir, args, { input: commit.message, env: identity(commit) })).trim();
};

/** Writes a commit on top of the first parent by plumbing alone; moves no ref. */
export const writeCommit = async (commit: NewCommit): Promise<string> => commitTree(commit, await writeTree(commit));
