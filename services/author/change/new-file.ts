/** Decides which files a fix may add: plain files in a folder that the change touches, or among tests. Pure. */
import { classifyName } from '../../../shared/diff/paths/well-known-files.ts';
import type { TreeEntry } from '../../../shared/workspace/git/trees.ts';

/** Entries of the head's folders by path; the root's path is ''. A folder that is not listed does not exist at the head. */
export type HeadFolders = ReadonlyMap<string, readonly Pick<TreeEntry, 'kind' | 'name'>[]>;

export type NewFilePlace = {
  readonly folders: HeadFolders;
  readonly touched: ReadonlySet<string>;
  readonly paths: readonly string[];
};

const TEST_FOLDER = /^(?:tests?|__tests__|specs?|testdata|e2e)$/i;
const NOT_PORTABLE = /[\\:*?"<>|]|[ .]$|^ |^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const LEFTOVER = /(?:~|\.(?:orig|rej|bak|swp|swo|tmp|log|pyc|pyo|class|o))$/i;

/** Folds a name in the same way as a case-insensitive or normalising file system. */
const fold = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase();

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Returns why no file may be added at this path; null if one may. Contract: the change request has no file at this path. */
export const whyNoNewFile = (path: string, { folders, touched, paths }: NewFilePlace): string | null => {
  const names = path.split('/');
  return (
    whyNotAtHead(names, folders) ??
    whyNotCalled(path, names) ??
    whyNotBeside(path, names, paths) ??
    (touched.has(folderOf(path)) || isInTests(names, folders)
      ? null
      : 'it is a new file, neither in a folder that the change touches nor in a test folder')
  );
};

const whyNotAtHead = (names: readonly string[], folders: HeadFolders): string | null => {
  let folder = '';
  for (const [depth, name] of names.entries()) {
    const there = folders.get(folder)?.map((entry) => ({ kind: entry.kind, name: entry.name.toString('utf8') })) ?? [];
    const same = there.find((entry) => entry.name === name);
    const twin = there.some((entry) => fold(entry.name) === fold(name));
    if (same === undefined) return twin ? 'the head has this path in another spelling' : null;
    if (depth === names.length - 1) return 'it is not a file of the change request';
    if (same.kind !== 'folder') return 'the head has a file where a folder is needed';
    folder = names.slice(0, depth + 1).join('/');
  }
  return null;
};

const whyNotCalled = (path: string, names: readonly string[]): string | null => {
  if (path.normalize('NFKC') !== path) return 'its name has confusable Unicode characters';
  if (names.some((name) => name.startsWith('.'))) return 'it is a new hidden file';
  if (names.some((name) => NOT_PORTABLE.test(name))) return 'its name is not portable across file systems';
  if (LEFTOVER.test(path) || names.includes('__pycache__')) return 'it looks like a leftover of a tool';
  const kind = classifyName(path.toLowerCase());
  return kind === null || kind === 'lock' ? null : `it is a new ${kind} file`;
};

const whyNotBeside = (path: string, names: readonly string[], paths: readonly string[]): string | null => {
  const collides = paths.some((other) => other !== path && areInEachOthersWay(names, other.split('/')));
  return collides ? 'it collides with another file of the fix' : null;
};

/** True if one path contains the other, or if they (or their folders) differ only in spelling. */
const areInEachOthersWay = (one: readonly string[], other: readonly string[]): boolean => {
  const length = Math.min(one.length, other.length);
  for (let depth = 0; depth < length; depth++) {
    const [a = '', b = ''] = [one[depth], other[depth]];
    if (a !== b) return fold(a) === fold(b);
  }
  return true;
};

/** True if the path is below an existing test folder, or below a new test folder in an existing folder. */
const isInTests = (names: readonly string[], folders: HeadFolders): boolean =>
  names.slice(0, -1).some((name, depth) => TEST_FOLDER.test(name) && folders.has(names.slice(0, depth).join('/')));
