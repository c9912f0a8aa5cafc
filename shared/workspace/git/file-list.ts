import type { CommitSha } from '../../vocabulary/ids.ts';
import { type Git, gitError } from './git.ts';
import { kindOfMode, type TreeEntry } from './trees.ts';

export type ListedFile = {
  /** Raw bytes of the path; `path` is null when they are not UTF-8. */
  readonly rawPath: Buffer;
  readonly path: string | null;
  readonly kind: Exclude<TreeEntry['kind'], 'folder'>;
  readonly objectId: string;
  /** File size; 0 for a submodule. */
  readonly bytes: number;
};

/** `complete` is false when the tree has more files than the limit allows. */
export type FileListing = { readonly files: readonly ListedFile[]; readonly complete: boolean };

const LIST_TIMEOUT_MS = 10_000;
/** An average path length: a listing with longer paths is truncated earlier. */
const BYTES_PER_FILE = 300;
const LEAST_LIST_BYTES = 1024 * 1024;

const LACKING = 'the repository lacks files of this commit; `git fsck` lists them, and a new clone has them';

const decodePath = (raw: Buffer): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return null;
  }
};

/** One record of `ls-tree -z -l`: `mode SP type SP id SP+ size TAB path`. */
const parseRecord = (record: Buffer): ListedFile => {
  const tab = record.indexOf(9);
  const match = /^(\d+) \w+ ([0-9a-f]+) +(-|\d+|BAD)$/.exec(record.subarray(0, Math.max(tab, 0)).toString('latin1'));
  const [, mode = '', objectId = '', size = ''] = match ?? [];
  const kind = kindOfMode(mode);
  if (match === null || kind === 'folder') throw gitError('GIT_BAD_OUTPUT', 'unexpected output of git ls-tree', 'fail');
  // git's word for an object that is missing.
  if (size === 'BAD') throw gitError('GIT_FAILED', LACKING, 'fail');
  const rawPath = record.subarray(tab + 1);
  return { rawPath, path: decodePath(rawPath), kind, objectId, bytes: size === '-' ? 0 : Number(size) };
};

/** Yields complete records only: a truncated last record has no final NUL. */
function* records(output: Buffer): Generator<Buffer> {
  let at = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, at)) {
    yield output.subarray(at, end);
    at = end + 1;
  }
}

export type FilesToList = {
  readonly commit: CommitSha;
  readonly maxFiles: number;
  /** A folder, without a final slash. If absent, the whole tree is listed. */
  readonly under?: string;
};

/** Lists at most `maxFiles` files of a commit with sizes, in git's order. A tree bomb is truncated, not expanded. */
export const listFiles = async (
  git: Git,
  { commit, maxFiles, under }: FilesToList,
  signal: AbortSignal,
): Promise<FileListing> => {
  const { stdout, truncated } = await git.run(
    ['ls-tree', '-r', '-z', '-l', '--full-tree', commit, ...(under === undefined ? [] : ['--', `${under}/`])],
    { timeoutMs: LIST_TIMEOUT_MS, maxBytes: LEAST_LIST_BYTES + maxFiles * BYTES_PER_FILE, mayTruncate: true },
    signal,
  );
  const files: ListedFile[] = [];
  for (const record of records(stdout)) {
    if (files.length >= maxFiles) return { files, complete: false };
    files.push(parseRecord(record));
  }
  return { files, complete: !truncated };
};
