/** Hashes the files below a folder. The difference between two snapshots is what a program changed. */
import { createHash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { chmod, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_CHECKOUT_CAPS } from '../../../shared/workspace/tree/checkout.ts';
import type { AuthorFile } from './decide-change.ts';

export type SnapshotLimits = { readonly maxFiles: number; readonly maxFileBytes: number };

/** The limit allows an author to add as many files as a checkout may have. */
export const SNAPSHOT_LIMITS: SnapshotLimits = {
  maxFiles: DEFAULT_CHECKOUT_CAPS.maxFiles * 2,
  maxFileBytes: DEFAULT_CHECKOUT_CAPS.maxFileBytes,
};

/** `hash` is null if the file is not regular or is too large; `what` states the reason. */
export type SnapshotEntry = { readonly hash: string | null; readonly what: string };

export type TreeSnapshot = ReadonlyMap<string, SnapshotEntry>;

/** `too_many`: there are more entries than the limit, so the fix cannot be used. */
export type SnapshotResult =
  | { readonly kind: 'taken'; readonly snapshot: TreeSnapshot }
  | { readonly kind: 'too_many'; readonly limit: number };

const WHAT: readonly (readonly [keyof Dirent & ('isSymbolicLink' | 'isFIFO' | 'isSocket'), string])[] = [
  ['isSymbolicLink', 'a link'],
  ['isFIFO', 'a pipe'],
  ['isSocket', 'a socket'],
];

const whatIs = (entry: Dirent): string => WHAT.find(([is]) => entry[is]())?.[1] ?? 'a special file';

/** Reads a regular file. Never follows a link and never blocks on a pipe. */
export const readPlainFile = async (path: string, maxBytes: number): Promise<Buffer | null> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.size <= maxBytes ? await handle.readFile() : null;
  } finally {
    await handle.close();
  }
};

/** Error codes of what a program can leave behind or remove at any time: odd names, missing permissions, vanished files. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENXIO',
  'ENAMETOOLONG',
  'EILSEQ',
]);

/** `other` if the program made this impossible. Errors of the machine are thrown. */
const orIfUnreadable = async <Value>(work: Promise<Value>, other: Value): Promise<Value> =>
  work.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && UNREADABLE.has(String(error.code))) return other;
    throw error;
  });

const UNREADABLE_FILE: SnapshotEntry = { hash: null, what: 'a file that cannot be read' };
const UNREADABLE_FOLDER: SnapshotEntry = { hash: null, what: 'a folder that cannot be read' };

const look = async (path: string, entry: Dirent, maxFileBytes: number): Promise<SnapshotEntry> => {
  if (!entry.isFile()) return { hash: null, what: whatIs(entry) };
  return orIfUnreadable(lookAtFile(path, maxFileBytes), UNREADABLE_FILE);
};

const lookAtFile = async (path: string, maxFileBytes: number): Promise<SnapshotEntry> => {
  const content = await readPlainFile(path, maxFileBytes);
  if (content === null) return { hash: null, what: 'too large' };
  return { hash: createHash('sha256').update(content).digest('hex'), what: 'a file' };
};

const listFolder = async (path: string): Promise<readonly Dirent[] | null> =>
  orIfUnreadable<readonly Dirent[] | null>(readdir(path, { withFileTypes: true }), null);

export const takeTreeSnapshot = async (
  root: string,
  limits: SnapshotLimits,
  signal: AbortSignal,
): Promise<SnapshotResult> => {
  const entries = new Map<string, SnapshotEntry>();
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const list = await listFolder(join(root, folder));
    if (list === null) entries.set(folder, UNREADABLE_FOLDER);
    for (const entry of list ?? []) {
      signal.throwIfAborted();
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else entries.set(path, await look(join(root, path), entry, limits.maxFileBytes));
      if (entries.size + folders.length > limits.maxFiles) return { kind: 'too_many', limit: limits.maxFiles };
    }
  }
  return { kind: 'taken', snapshot: entries };
};

const WRITABLE = 0o644;

/** Makes a checkout writable, because checkouts are created read-only. */
export const makeWritable = async (root: string, snapshot: TreeSnapshot): Promise<void> => {
  for (const path of snapshot.keys()) await chmod(join(root, path), WRITABLE);
};

export const changesSince = async (
  root: string,
  { before, after }: { readonly before: TreeSnapshot; readonly after: TreeSnapshot },
  limits: SnapshotLimits,
): Promise<readonly AuthorFile[]> => {
  const changes: AuthorFile[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const now = after.get(path);
    if (now === undefined) changes.push({ kind: 'delete', path });
    else if (now.hash === null) changes.push({ kind: 'odd', path, what: now.what });
    else if (now.hash !== before.get(path)?.hash) changes.push(await written(root, path, limits));
  }
  return changes;
};

const written = async (root: string, path: string, { maxFileBytes }: SnapshotLimits): Promise<AuthorFile> => {
  const read = readPlainFile(join(root, path), maxFileBytes).then((content) => content ?? 'too large');
  const content = await orIfUnreadable<Buffer | string>(read, UNREADABLE_FILE.what);
  return typeof content === 'string' ? { kind: 'odd', path, what: content } : { kind: 'write', path, content };
};
