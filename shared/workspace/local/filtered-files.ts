/**
 * Files that a filter of git converts, such as those of Git LFS. A filter is a program, so it is not run here, and the
 * content of such a file always differs from what is committed. Whether the file has changed follows only from what the
 * index has stored about it: size and modification time. git itself trusts these, too, except for files that are not older
 * than the index, which are most files of a fresh clone.
 */
import { stat, utimes } from 'node:fs/promises';
import type { Git, GitRun } from '../git/git.ts';

export type IndexCopy = {
  readonly git: Git;
  /** Select the copied index. */
  readonly options: GitRun;
  readonly indexFile: string;
  /** The user's settings about the comparison. */
  readonly settings: readonly string[];
};

const MAX_BYTES = 512 * 1024 * 1024;
const YEAR_S = 365 * 24 * 3600;
/** Values of an attribute that name no filter. */
const NO_FILTER: ReadonlySet<string> = new Set(['unspecified', 'unset', 'set']);

const namesIn = (stdout: Buffer): readonly string[] => stdout.toString('latin1').split('\0').slice(0, -1);
const listOf = (names: readonly string[]): Buffer => Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');

/** Names in latin1, so that any byte is kept. Contract: the attributes of the user's repository are still in force. */
export const listFiltered = async (
  { git, options, settings }: Pick<IndexCopy, 'git' | 'options' | 'settings'>,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const limited = { ...options, maxBytes: MAX_BYTES };
  const { stdout: tracked } = await git.run(['ls-files', '-z'], limited, signal);
  const args = [...settings, '-c', 'core.bare=false', 'check-attr', '-z', '--stdin', 'filter'];
  const { stdout } = await git.run(args, { ...limited, input: tracked }, signal);
  const fields = namesIn(stdout);
  return fields.filter((_name, at) => at % 3 === 0 && !NO_FILTER.has(fields[at + 2] ?? 'unset'));
};

/** Makes git regard those files as unchanged whose size and modification time are those in the index. */
export const keepUntouched = async (
  { git, options, indexFile, settings }: IndexCopy,
  filtered: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  if (filtered.length === 0) return;
  const limited = { ...options, maxBytes: MAX_BYTES };
  const { atime, mtime } = await stat(indexFile);
  // Every file is older than this, so git compares no content.
  const later = Date.now() / 1000 + YEAR_S;
  await utimes(indexFile, later, later);
  const minimal = ['-c', 'core.bare=false', '-c', 'core.checkStat=minimal', '-c', 'core.trustctime=false'];
  const { stdout } = await git.run([...settings, ...minimal, 'diff-files', '--name-only', '-z'], limited, signal);
  await utimes(indexFile, atime, mtime);
  const touched = new Set(namesIn(stdout));
  const input = listOf(filtered.filter((name) => !touched.has(name)));
  const args = ['-c', 'core.bare=false', 'update-index', '--assume-unchanged', '-z', '--stdin'];
  await git.run([...settings, ...args], { ...limited, input }, signal);
};
