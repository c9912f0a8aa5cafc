/** Real repositories for tests: built with git itself, also the ones that git would refuse to build by its usual commands. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createGit, type Git } from '../../../shared/workspace/git/git.ts';

export const GIT = '/usr/bin/git';

export const never = (): AbortSignal => new AbortController().signal;

/** A folder that is removed when `dispose` is called. */
export const temporaryFolder = (): { readonly path: string; dispose(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'fixpoint-test-'));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
};

export type TreeItem = { readonly mode: string; readonly name: string | Buffer; readonly objectId: string };

export type Repository = {
  readonly workTree: string;
  readonly gitDir: string;
  git(...args: readonly string[]): string;
  /** Writes, links or (null) removes files in the work tree; names are relative. */
  write(files: Readonly<Record<string, string | Buffer | null>>): void;
  link(name: string, target: string): void;
  executable(name: string, script: string): void;
  commit(message: string): CommitSha;
  blob(content: string | Buffer): string;
  /** Stores a tree object byte for byte, whatever its names are. */
  rawTree(items: readonly TreeItem[]): string;
  commitTree(treeId: string, ...parents: readonly string[]): CommitSha;
};

const environment = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Tester',
  GIT_AUTHOR_EMAIL: 'tester@example.org',
  GIT_AUTHOR_DATE: '@1700000000 +0000',
  GIT_COMMITTER_NAME: 'Tester',
  GIT_COMMITTER_EMAIL: 'tester@example.org',
  GIT_COMMITTER_DATE: '@1700000000 +0000',
};

const run = (args: readonly string[], cwd: string, input?: Buffer): string =>
  execFileSync(GIT, args, {
    cwd,
    env: environment,
    input: input ?? '',
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
    .toString('utf8')
    .trim();

const encodeTree = (items: readonly TreeItem[]): Buffer =>
  Buffer.concat(
    items.flatMap(({ mode, name, objectId }) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(objectId, 'hex'),
    ]),
  );

export const createRepository = (workTree: string): Repository => {
  mkdirSync(workTree, { recursive: true });
  run(['init', '--quiet', '--initial-branch=main', '.'], workTree);
  const git = (...args: readonly string[]): string => run(args, workTree);
  const place = (name: string): string => {
    const path = join(workTree, name);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  return {
    workTree,
    gitDir: join(workTree, '.git'),
    git,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        if (content === null) rmSync(join(workTree, name), { recursive: true });
        else writeFileSync(place(name), content);
      }
    },
    link: (name, target) => symlinkSync(target, place(name)),
    executable(name, script) {
      writeFileSync(place(name), script);
      chmodSync(join(workTree, name), 0o755);
    },
    commit(message) {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return CommitSha.parse(git('rev-parse', 'HEAD'));
    },
    blob: (content) => run(['hash-object', '-w', '--stdin'], workTree, Buffer.from(content)),
    rawTree: (items) => run(['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], workTree, encodeTree(items)),
    commitTree: (treeId, ...parents) =>
      CommitSha.parse(git('commit-tree', treeId, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'made')),
  };
};

/** The production git over a repository of a test. */
export const gitOf = (repository: Repository): Git =>
  createGit({ gitPath: GIT, gitDir: repository.gitDir, allowProtocols: [] });

/** 10^levels paths in a few kilobytes: every level holds ten times the level below. */
export const bombTree = (repository: Repository, levels: number): string => {
  let tree = repository.rawTree([{ mode: '100644', name: 'f', objectId: repository.blob('x\n') }]);
  for (let level = 0; level < levels; level += 1) {
    tree = repository.rawTree(
      Array.from({ length: 10 }, (_, index) => String(index)).map((name) => ({ mode: '40000', name, objectId: tree })),
    );
  }
  return tree;
};
