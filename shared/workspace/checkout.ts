import { chmod, mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CommitSha, OmittedFile } from '../rounds/vocabulary.ts';
import type { ListedFile } from './file-list.ts';
import { printablePath, whyPathIsRefused } from './paths.ts';
import type { Revisions } from './revisions.ts';

export type CheckoutCaps = {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
};

export const DEFAULT_CHECKOUT_CAPS: CheckoutCaps = {
  maxFiles: 50_000,
  maxFileBytes: 5 * 1024 * 1024,
  maxTotalBytes: 512 * 1024 * 1024,
};

/** A tree of plain read-only files: no git data, no link, no program, no special file. */
export type Checkout = {
  readonly root: string;
  readonly head: CommitSha;
  readonly files: number;
  readonly bytes: number;
  /** What is not there, and why. */
  readonly skipped: readonly OmittedFile[];
  /** False when the tree has more files than the cap: those have no entry in `skipped`. */
  readonly complete: boolean;
  dispose(): Promise<void>;
};

const PREFIX = 'tree-';
/** Readable by the uid of the cage, which is another one; the folder above lets nobody list the names. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o444;

type Progress = { bytes: number; readonly skipped: OmittedFile[]; files: number; readonly folders: Set<string> };

const isFileSystemRefusal = (error: unknown): error is Error & { code: string } =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ', 'EINVAL'].includes(error.code);

const whyNot = (file: ListedFile, caps: CheckoutCaps, bytesSoFar: number): string | null => {
  const refused = whyPathIsRefused(file.path);
  if (refused !== null) return refused;
  if (file.kind === 'submodule') return 'a submodule';
  if (file.bytes > caps.maxFileBytes) return `too large (${file.bytes} bytes)`;
  return bytesSoFar + file.bytes > caps.maxTotalBytes ? 'the tree is too large in all' : null;
};

/** Two names that the file system takes for one end here, as do a file and a folder of the same name. */
const writeOnce = async (path: string, data: Buffer): Promise<string | null> => {
  try {
    const file = await open(path, 'wx', FILE_MODE);
    try {
      await file.writeFile(data);
      await file.chmod(FILE_MODE);
    } finally {
      await file.close();
    }
    return null;
  } catch (error) {
    if (isFileSystemRefusal(error)) return `the file system refuses it (${error.code})`;
    throw error;
  }
};

/** One level at a time, so that a file in the way is seen, and with a mode that no umask narrows. */
const makeFolder = async (path: string, made: Set<string>): Promise<string | null> => {
  if (made.has(path)) return null;
  const above = await makeFolder(dirname(path), made);
  if (above !== null) return above;
  try {
    await mkdir(path);
    await chmod(path, FOLDER_MODE);
    made.add(path);
    return null;
  } catch (error) {
    if (isFileSystemRefusal(error)) return `the file system refuses it (${error.code})`;
    throw error;
  }
};

type Target = { readonly root: string; readonly caps: CheckoutCaps; readonly revisions: Revisions };

const writeFile = async (
  target: Target,
  file: ListedFile,
  progress: Progress,
  signal: AbortSignal,
): Promise<string | null> => {
  const refused = whyNot(file, target.caps, progress.bytes);
  if (refused !== null || file.path === null) return refused;
  const content = await target.revisions.objects.read(file.objectId, target.caps.maxFileBytes, signal);
  if (content.kind !== 'object') return content.kind === 'missing' ? 'its content is missing' : 'too large';
  const path = join(target.root, file.path);
  const reason = (await makeFolder(dirname(path), progress.folders)) ?? (await writeOnce(path, content.data));
  if (reason === null) {
    progress.files += 1;
    progress.bytes += content.data.length;
  }
  return reason;
};

const fill = async (target: Target, files: readonly ListedFile[], signal: AbortSignal): Promise<Progress> => {
  const progress: Progress = { bytes: 0, files: 0, skipped: [], folders: new Set([target.root]) };
  for (const file of files) {
    const reason = await writeFile(target, file, progress, signal);
    if (reason !== null) progress.skipped.push({ path: printablePath(file.rawPath), reason });
  }
  return progress;
};

/**
 * Lays the tree of one commit down in a new folder below `folder`, by our own code: git's checkout runs filters, makes
 * links and trusts names. Symbolic links become text files that hold their target. Whoever calls must `dispose`.
 */
export const createCheckout = async (
  from: { readonly revisions: Revisions; readonly folder: string; readonly caps?: CheckoutCaps },
  head: CommitSha,
  signal: AbortSignal,
): Promise<Checkout> => {
  const caps = from.caps ?? DEFAULT_CHECKOUT_CAPS;
  await mkdir(from.folder, { recursive: true });
  await chmod(from.folder, 0o711);
  const root = await mkdtemp(join(from.folder, PREFIX));
  const dispose = (): Promise<void> => rm(root, { recursive: true, force: true });
  try {
    await chmod(root, FOLDER_MODE);
    const listing = await from.revisions.listFiles(head, { maxFiles: caps.maxFiles }, signal);
    const { files, bytes, skipped } = await fill({ root, caps, revisions: from.revisions }, listing.files, signal);
    return { root, head, files, bytes, skipped, complete: listing.complete, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
};

/** Removes what processes left that died before `dispose`: checkouts older than `maxAgeMs`. Returns how many. */
export const removeOldCheckouts = async (
  folder: string,
  age: { readonly nowMs: number; readonly maxAgeMs: number },
): Promise<number> => {
  await mkdir(folder, { recursive: true });
  let removed = 0;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(PREFIX) || age.nowMs - (await stat(path)).mtimeMs < age.maxAgeMs) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
};
