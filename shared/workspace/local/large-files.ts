/**
 * Untracked files that are too large to review, such as data sets and disk images. Storing such a file whole would take
 * minutes and as much room as it has, so only its beginning is stored: enough to show that the file is new, whether it is
 * text, and that it is too large.
 */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import type { Git, GitRun } from '../git/git.ts';

type UntrackedIn = {
  readonly git: Git;
  /** Select the copied index. */
  readonly options: GitRun;
  readonly workTree: string;
  /** The user's settings about the comparison. */
  readonly settings: readonly string[];
};

/** Larger than every file whose content a review reads. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024;
const BEGINNING_BYTES = 2 * 1024 * 1024;
const MAX_LIST_BYTES = 512 * 1024 * 1024;

const EXECUTABLE = 0o100;

/** A path need not be valid UTF-8. */
const pathOf = (workTree: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${workTree}/`), Buffer.from(name, 'latin1')]);

/** Null for a file that is small, is not a regular file, or cannot be read: `git add` says what is wrong with it. */
const readLarge = async (path: Buffer): Promise<{ readonly mode: string; readonly beginning: Buffer } | null> => {
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.size <= MAX_WHOLE_BYTES) return null;
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
      const mode = (found.mode & EXECUTABLE) === 0 ? '100644' : '100755';
      return { mode, beginning: buffer.subarray(0, bytesRead) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
};

const listUntracked = async (
  { git, options, settings }: UntrackedIn,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const args = ['-c', 'core.bare=false', 'ls-files', '--others', '--exclude-standard', '-z'];
  const { stdout } = await git.run([...settings, ...args], { ...options, maxBytes: MAX_LIST_BYTES }, signal);
  return stdout.toString('latin1').split('\0').slice(0, -1);
};

/** Adds the beginnings to the index. `git add` then regards these files as unchanged. */
export const addBeginnings = async (untracked: UntrackedIn, signal: AbortSignal): Promise<void> => {
  const { git, options, settings, workTree } = untracked;
  const entries: string[] = [];
  const names: string[] = [];
  for (const name of await listUntracked(untracked, signal)) {
    const large = await readLarge(pathOf(workTree, name));
    if (large === null) continue;
    const args = ['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin'];
    const { stdout } = await git.run(args, { ...options, input: large.beginning }, signal);
    entries.push(`${large.mode} ${stdout.toString('latin1').trim()}\t${name}\0`);
    names.push(`${name}\0`);
  }
  if (names.length === 0) return;
  const update = [...settings, '-c', 'core.bare=false', 'update-index', '-z'];
  const inputOf = (lines: readonly string[]): GitRun => ({ ...options, input: Buffer.from(lines.join(''), 'latin1') });
  await git.run([...update, '--index-info'], inputOf(entries), signal);
  await git.run([...update, '--assume-unchanged', '--stdin'], inputOf(names), signal);
};
