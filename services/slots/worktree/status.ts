import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failureText, HOOKS_TIMEOUT_MS, type Repository, type RepositoryCall } from './repository.ts';

export type StatusEntry = {
  readonly kind: 'changed' | 'untracked' | 'ignored';
  /** Path from the top of the work tree. A path that ends in a slash is a folder with all of its files. */
  readonly path: string;
};

export type Status = {
  readonly entries: readonly StatusEntry[];
  /** Why the list may be incomplete, described in words. */
  readonly trouble: readonly string[];
};

const KINDS: Readonly<Record<string, StatusEntry['kind']>> = { '??': 'untracked', '!!': 'ignored' };

/** Skips deleted files, because they cannot be lost and a sparse work tree lacks many files. */
const readEntry = (line: string): readonly StatusEntry[] => {
  const code = line.slice(0, 2);
  if (line === '' || code === ' D' || code === 'D ') return [];
  return [{ kind: KINDS[code] ?? 'changed', path: line.slice(3) }];
};

const STATUS = [
  'status',
  '--porcelain=v1',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignored=matching',
  '--ignore-submodules=all',
];

/** Parts of the warnings that git prints when it skips a file that it cannot open. */
const COULD_NOT = /could not|cannot|unable to|permission denied|failed/i;

const readStatus = async (repository: Repository, call: RepositoryCall, signal: AbortSignal): Promise<Status> => {
  const result = await repository.try(STATUS, call, signal);
  const text = result.stdout.toString('utf8');
  const lines = text.slice(0, text.lastIndexOf('\0') + 1).split('\0');
  const entries = lines.flatMap(readEntry);
  if (result.truncated) return { entries, trouble: ['more files than can be listed'] };
  if (result.exitCode !== 0) return { entries, trouble: [failureText(STATUS, result)] };
  const warning = result.stderr.split('\n').find((line) => COULD_NOT.test(line));
  return { entries, trouble: warning === undefined ? [] : [warning.trim().slice(0, 300)] };
};

/**
 * Uses a new index, which has no flags that hide changes (assume-unchanged, skip-worktree) and no cached times and sizes,
 * so git reads each file. Nested repositories are not searched.
 */
export const listStatus = async (repository: Repository, cwd: string, signal: AbortSignal): Promise<Status> => {
  const folder = await repository.ask(['rev-parse', '--absolute-git-dir'], { cwd }, signal);
  const index = join(folder, 'fixpoint-look');
  const env = { GIT_INDEX_FILE: index, LC_ALL: 'C' };
  const config = [['core.sparseCheckout', 'false'] as const];
  const call = { cwd, env, config, timeoutMs: HOOKS_TIMEOUT_MS };
  try {
    const read = ['read-tree', 'HEAD'];
    const result = await repository.try(read, call, signal);
    if (result.exitCode !== 0) return { entries: [], trouble: [failureText(read, result)] };
    return await readStatus(repository, call, signal);
  } finally {
    await rm(index, { force: true });
  }
};
