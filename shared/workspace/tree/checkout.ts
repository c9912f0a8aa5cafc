import { chmod, mkdir, mkdtemp, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitSha } from '../../vocabulary/ids.ts';
import type { OmittedFile } from '../../vocabulary/coverage.ts';
import { type AbsentFiles, absentFilesOf } from './absent-files.ts';
import { type CheckoutCaps, type PlannedFile, planCheckout } from './checkout-plan.ts';
import { removeFolder } from '../process/remove-folder.ts';
import { type Age, removeOlder } from '../process/remove-older.ts';
import { printablePath } from './paths.ts';
import type { Revisions } from '../git/revisions.ts';

export const DEFAULT_CHECKOUT_CAPS: CheckoutCaps = {
  maxFiles: 50_000,
  maxFileBytes: 5 * 1024 * 1024,
  maxTotalBytes: 512 * 1024 * 1024,
};

/** A tree of plain read-only files: no git data, link, executable or special file. */
export type Checkout = {
  readonly root: string;
  readonly head: CommitSha;
  readonly files: number;
  readonly bytes: number;
  readonly skipped: readonly OmittedFile[];
  /** False when the tree has more files than the limit; the files beyond the limit are not in `skipped`. */
  readonly complete: boolean;
  /** What both of these mean for a search. */
  readonly absent: AbsentFiles;
  /** Number of files that contain only a pointer of Git LFS to their content. */
  readonly pointers: number;
  dispose(): Promise<void>;
};

const PREFIX = 'tree-';
/** Readable by every account, because the cage runs under another account. Others cannot list the parent folder. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o444;
const PARALLEL_WRITES = 16;
const MAX_BATCH_FILES = 1000;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

const REFUSALS = ['EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ', 'EINVAL'];

/** Null on success. Otherwise the reason why the file system refused the entry, such as names that differ only in case. */
const refusalOf = async (work: () => Promise<void>): Promise<string | null> => {
  try {
    await work();
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (REFUSALS.includes(code)) return `the file system refuses it (${code})`;
    throw error;
  }
};

const writeOnce = (path: string, data: Buffer): Promise<string | null> =>
  refusalOf(async () => {
    const file = await open(path, 'wx', FILE_MODE);
    try {
      await file.writeFile(data);
      // `open` applies the umask, which may have narrowed the mode.
      await file.chmod(FILE_MODE);
    } finally {
      await file.close();
    }
  });

/** Ignores a failure to create a folder, because writing its files then fails too and is reported. */
const makeFolders = async (root: string, folders: readonly string[]): Promise<void> => {
  for (const folder of folders) {
    await refusalOf(async () => {
      await mkdir(join(root, folder));
      await chmod(join(root, folder), FOLDER_MODE);
    });
  }
};

/** Groups files whose contents are read in one call. A large file gets its own group. */
function* batches(files: readonly PlannedFile[]): Generator<readonly PlannedFile[]> {
  let batch: PlannedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length >= MAX_BATCH_FILES || (batch.length > 0 && bytes + file.bytes > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.bytes;
  }
  yield batch;
}

const totalBytes = (files: readonly PlannedFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

const readBatch = (revisions: Revisions, batch: readonly PlannedFile[], signal: AbortSignal) => {
  const objectIds = [...new Set(batch.map(({ objectId }) => objectId))];
  return revisions.readBlobs({ objectIds, maxBytes: totalBytes(batch) }, signal);
};

type Refused = { readonly file: PlannedFile; readonly reason: string };

const writeBatch = async (
  root: string,
  batch: readonly PlannedFile[],
  contents: ReadonlyMap<string, Buffer>,
): Promise<readonly Refused[]> => {
  const refused: Refused[] = [];
  const writeNext = async (queue: Iterator<PlannedFile>): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      const file = next.value;
      const data = contents.get(file.objectId);
      const reason = data === undefined ? 'its content is missing' : await writeOnce(join(root, file.path), data);
      if (reason !== null) refused.push({ file, reason });
    }
  };
  const queue = batch.values();
  await Promise.all(Array.from({ length: PARALLEL_WRITES }, () => writeNext(queue)));
  return refused;
};

const POINTER = Buffer.from('version https://git-lfs.github.com/spec/');
/** The specification allows no longer pointer: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const MAX_POINTER_BYTES = 1024;

const countPointers = (batch: readonly PlannedFile[], contents: ReadonlyMap<string, Buffer>): number =>
  batch.filter(({ objectId, bytes }) => {
    const start = bytes < MAX_POINTER_BYTES ? contents.get(objectId)?.subarray(0, POINTER.length) : undefined;
    return start?.equals(POINTER) === true;
  }).length;

type Source = { readonly revisions: Revisions; readonly folder: string; readonly caps?: CheckoutCaps };

const fill = async (
  from: Source,
  at: { readonly root: string; readonly head: CommitSha },
  signal: AbortSignal,
): Promise<Omit<Checkout, 'dispose'>> => {
  const caps = from.caps ?? DEFAULT_CHECKOUT_CAPS;
  const listing = await from.revisions.listFiles(at.head, { maxFiles: caps.maxFiles }, signal);
  const plan = planCheckout(listing.files, caps);
  await makeFolders(at.root, plan.folders);
  const refused: Refused[] = [];
  let pointers = 0;
  for (const batch of batches(plan.files)) {
    signal.throwIfAborted();
    const contents = await readBatch(from.revisions, batch, signal);
    pointers += countPointers(batch, contents);
    refused.push(...(await writeBatch(at.root, batch, contents)));
  }
  const laid = {
    files: plan.files.length - refused.length,
    skipped: [...plan.skipped, ...refused.map(({ file, reason }) => ({ path: printablePath(file.path), reason }))],
    complete: listing.complete,
  };
  const bytes = totalBytes(plan.files) - totalBytes(refused.map(({ file }) => file));
  return { ...at, ...laid, bytes, absent: absentFilesOf(laid), pointers };
};

/**
 * Writes the tree of one commit to a new folder below `folder`, without git's checkout, which runs filters, creates links
 * and trusts names. Symbolic links become text files that contain the target. Contract: the caller calls `dispose`.
 */
export const createCheckout = async (from: Source, head: CommitSha, signal: AbortSignal): Promise<Checkout> => {
  await mkdir(from.folder, { recursive: true });
  await chmod(from.folder, 0o711);
  const root = await mkdtemp(join(from.folder, PREFIX));
  const dispose = (): Promise<void> => removeFolder(root);
  try {
    await chmod(root, FOLDER_MODE);
    return { ...(await fill(from, { root, head }, signal)), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
};

/** Removes checkouts older than `maxAgeMs`, left by processes that died before `dispose`. Returns their number. */
export const removeOldCheckouts = async (folder: string, age: Age): Promise<number> => {
  await mkdir(folder, { recursive: true });
  return removeOlder(folder, (name) => name.startsWith(PREFIX), age);
};
