/**
 * Copies a folder's regular text files for an audit, without git's files and without following links. The model's tools
 * read this copy, so that its quotations are compared with exactly what it was shown.
 */
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Dirent } from 'node:fs';
import type { TextReading } from '../../../shared/diff/read-text.ts';
import { classifyName } from '../../../shared/diff/paths/well-known-files.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import { readSource } from '../../../shared/rules/read-source.ts';
import { FILE_MODE, FOLDER_MODE } from '../../../shared/workspace/bash/take-objects.ts';
import { openInside } from '../../../shared/workspace/tree/open-inside.ts';
import { printablePath, whyPathIsRefused } from '../../../shared/workspace/tree/paths.ts';

export type AuditFile = { readonly path: string; readonly bytes: number; readonly lines: number };

export type AuditTree = {
  readonly root: string;
  readonly files: readonly AuditFile[];
  /** Files excluded by a rule, with reasons. These files do not make an audit incomplete. */
  readonly excluded: readonly OmittedFile[];
  readonly omitted: readonly OmittedFile[];
};

export type TreeLimits = { readonly maxFiles: number; readonly maxFileBytes: number; readonly maxTotalBytes: number };

export const TREE_LIMITS: TreeLimits = {
  maxFiles: 20_000,
  maxFileBytes: 1024 * 1024,
  maxTotalBytes: 256 * 1024 * 1024,
};

const REASONS: Readonly<Record<NonNullable<ReturnType<typeof classifyName>>, string>> = {
  vendored: 'vendored, by its path',
  lock: 'a lock file',
  minified: 'minified, by its name',
  generated: 'generated, by its name',
};

type Laying = {
  readonly from: string;
  readonly root: string;
  readonly limits: TreeLimits;
  readonly signal: AbortSignal;
  readonly files: AuditFile[];
  readonly excluded: OmittedFile[];
  readonly omitted: OmittedFile[];
  readonly folders: Set<string>;
  bytes: number;
  /** True after a limit was reached. After that, no more files are copied. */
  full: boolean;
};

/** Contract: `root` exists, is empty and has its final mode. @throws the file system's error about `from` */
export const layTree = async (
  { from, root, limits = TREE_LIMITS }: { readonly from: string; readonly root: string; readonly limits?: TreeLimits },
  signal: AbortSignal,
): Promise<AuditTree> => {
  const lists = { files: [], excluded: [], omitted: [], folders: new Set<string>() };
  const laying: Laying = { from, root, limits, signal, ...lists, bytes: 0, full: false };
  await layFolder(laying, '');
  const { files, excluded, omitted } = laying;
  return { root, files, excluded, omitted };
};

const layFolder = async (laying: Laying, folder: string): Promise<void> => {
  for (const entry of await list(laying, folder)) {
    laying.signal.throwIfAborted();
    if (laying.full) return;
    if (entry.name === '.git') continue;
    await layEntry(laying, entry, folder === '' ? entry.name : `${folder}/${entry.name}`);
  }
};

const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'].includes(String(error.code));

/** Lists a folder, sorted by name. An unreadable subfolder is recorded as omitted. The top folder must be readable. */
const list = async ({ from, omitted }: Laying, folder: string): Promise<readonly Dirent[]> => {
  try {
    const entries = await readdir(path.join(from, folder), { withFileTypes: true });
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (folder === '' || !isUnreadable(error)) throw error;
    omitted.push({ path: `${folder}/`, reason: 'the folder cannot be read' });
    return [];
  }
};

const layEntry = async (laying: Laying, entry: Dirent, at: string): Promise<void> => {
  const exclude = (reason: string): void => void laying.excluded.push({ path: printablePath(at), reason });
  const refusal = whyPathIsRefused(at);
  if (refusal !== null) return void laying.omitted.push({ path: printablePath(at), reason: refusal });
  if (entry.isSymbolicLink()) return exclude('a link');
  if (entry.isDirectory()) {
    const isVendored = classifyName(`${at}/`) === 'vendored';
    return isVendored ? exclude(REASONS.vendored) : layFolder(laying, at);
  }
  if (!entry.isFile()) return exclude('not a regular file');
  const kind = classifyName(at);
  return kind === null ? layFile(laying, at) : exclude(REASONS[kind]);
};

const layFile = async (laying: Laying, at: string): Promise<void> => {
  const omit = (reason: string): void => void laying.omitted.push({ path: at, reason });
  const { limits } = laying;
  if (laying.files.length >= limits.maxFiles) {
    laying.full = true;
    return omit(`everything from here on: more than ${limits.maxFiles} files`);
  }
  const content = await readWhole(laying.from, at, limits.maxFileBytes);
  if (content.kind === 'refused') return omit(content.reason);
  if (content.kind === 'binary') return void laying.excluded.push({ path: at, reason: 'a binary file' });
  if (content.kind === 'undecodable') return omit(content.reason);
  // The copy is always UTF-8, so that tools, rules and quotations see the same lines.
  const data = Buffer.from(content.text);
  if (laying.bytes + data.length > limits.maxTotalBytes) return omit('the tree is too large in total');
  await makeFolder(laying, path.dirname(at));
  await writeFile(path.join(laying.root, at), data, { flag: 'wx' });
  await chmod(path.join(laying.root, at), FILE_MODE);
  laying.bytes += data.length;
  laying.files.push({ path: at, bytes: data.length, lines: linesIn(data) });
};

/** Also creates parent folders. Sets modes explicitly, because the umask would restrict them. */
const makeFolder = async (laying: Laying, at: string): Promise<void> => {
  if (at === '.' || laying.folders.has(at)) return;
  await makeFolder(laying, path.dirname(at));
  await mkdir(path.join(laying.root, at));
  await chmod(path.join(laying.root, at), FOLDER_MODE);
  laying.folders.add(at);
};

type Whole = TextReading | { readonly kind: 'refused'; readonly reason: string };

/** Never reads outside the folder, even if a path is replaced while reading. Checks for binary before size. */
const readWhole = async (root: string, at: string, maxBytes: number): Promise<Whole> => {
  const opened = await openInside(root, at);
  if (opened.kind === 'refused') return opened;
  try {
    const { bytes } = opened;
    const data = Buffer.alloc(Math.min(bytes, maxBytes));
    const { bytesRead } = await opened.handle.read(data, 0, data.length, 0);
    const reading = readSource(at, data.subarray(0, bytesRead));
    const isLarge = bytes > maxBytes && reading.kind !== 'binary';
    return isLarge ? { kind: 'refused', reason: `too large (${bytes} bytes)` } : reading;
  } finally {
    await opened.handle.close();
  }
};

export const readTreeText = async ({ root }: Pick<AuditTree, 'root'>, at: string): Promise<string | null> => {
  const content = await readWhole(root, at, TREE_LIMITS.maxFileBytes);
  return content.kind === 'text' ? content.text : null;
};

const LINE_FEED = 10;

const linesIn = (data: Buffer): number => {
  let lines = data.length === 0 || data.at(-1) === LINE_FEED ? 0 : 1;
  for (const byte of data) if (byte === LINE_FEED) lines += 1;
  return lines;
};
