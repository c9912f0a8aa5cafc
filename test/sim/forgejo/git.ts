import { spawn } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

export type GitInput = { readonly input?: string | Uint8Array; readonly env?: Readonly<Record<string, string>> };

/** Git failed; `stderr` is its output, `code` its exit status. */
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

/** Git ignores all configuration of the machine and the user. */
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

const forgeConfig = `
[uploadpack]
	allowAnySHA1InWant = true
	allowFilter = true
[http]
	receivepack = true
[receive]
	hideRefs = refs/pull
	autogc = false
[gc]
	auto = 0
`;

export type ObjectFormat = 'sha1' | 'sha256';

/** Creates a bare repository as a forge configures it: any SHA and partial clones can be fetched, pull refs are read-only. */
export const initBare = async (gitDir: string, defaultBranch: string, format: ObjectFormat = 'sha1'): Promise<void> => {
  const options = ['--quiet', '--bare', '--template=', `--object-format=${format}`];
  await runGit('/', ['init', ...options, `--initial-branch=${defaultBranch}`, gitDir]);
  await appendFile(join(gitDir, 'config'), forgeConfig);
};

export type CommitIdentity = {
  readonly gitDir: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly atMs: number;
};

const signature = ({ author, atMs }: CommitIdentity): string =>
  `${author.name} <${author.email}> ${Math.floor(atMs / 1000)} +0000`;

const data = (content: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
};

export type FileMap = Readonly<Record<string, string | Uint8Array | null>>;

const change = ([path, content]: readonly [string, string | Uint8Array | null]): readonly Buffer[] => {
  // C-style quoting works for every path, including line breaks and quotation marks.
  const quoted = `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  if (content === null) return [Buffer.from(`D ${quoted}\n`)];
  return [Buffer.from(`M 100644 inline ${quoted}\n`), data(content)];
};

/** Creates a commit on top of the first parent and moves the branch to it, in one process. Returns its SHA. */
export const commitTo = async (
  commit: CommitIdentity & { readonly files: FileMap; readonly branch: string },
): Promise<string> => {
  const who = signature(commit);
  const [parent] = commit.parents;
  const input = Buffer.concat([
    Buffer.from(`commit refs/heads/${commit.branch}\nmark :1\nauthor ${who}\ncommitter ${who}\n`),
    data(commit.message),
    Buffer.from(parent === undefined ? '' : `from ${parent}\n`),
    ...Object.entries(commit.files).flatMap(change),
    Buffer.from('\nget-mark :1\n'),
  ]);
  return (await runGit(commit.gitDir, ['fast-import', '--quiet', '--force', '--date-format=raw'], { input })).trim();
};

export const commitTree = async (commit: CommitIdentity, tree: string): Promise<string> => {
  const date = `${Math.floor(commit.atMs / 1000)} +0000`;
  const { name, email } = commit.author;
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const args = ['commit-tree', tree, ...commit.parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return (await runGit(commit.gitDir, args, { input: commit.message, env })).trim();
};
