import { dirname } from 'node:path/posix';
import type { OmittedFile } from '../../vocabulary/coverage.ts';
import type { ListedFile } from '../git/file-list.ts';
import { printablePath, whyPathIsRefused } from './paths.ts';

export type CheckoutCaps = {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
};

export type PlannedFile = { readonly path: string; readonly objectId: string; readonly bytes: number };

export type CheckoutPlan = {
  readonly files: readonly PlannedFile[];
  /** All folders of the files, parents first. */
  readonly folders: readonly string[];
  readonly skipped: readonly OmittedFile[];
};

type Taken = { readonly files: Set<string>; readonly folders: Set<string>; bytes: number };

const foldersAbove = (path: string): readonly string[] => {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) above.unshift(folder);
  return above;
};

/** A crafted tree can contain the same name as a file and as a folder. Only the first entry is kept. */
const isTaken = (path: string, taken: Taken): boolean =>
  taken.files.has(path) || taken.folders.has(path) || foldersAbove(path).some((folder) => taken.files.has(folder));

/**
 * The paths that a crafted tree contains several times. No entry of such a path is kept: a reader of the checkout could
 * take one for the other.
 */
const repeatedPaths = (listed: readonly ListedFile[]): ReadonlySet<string> => {
  const [known, repeated] = [new Set<string>(), new Set<string>()];
  for (const { path } of listed) {
    if (path !== null && known.has(path)) repeated.add(path);
    else if (path !== null) known.add(path);
  }
  return repeated;
};

const whyNot = (file: ListedFile, path: string, taken: Taken, caps: CheckoutCaps): string | null => {
  if (file.kind === 'submodule') return 'a submodule';
  if (file.bytes > caps.maxFileBytes) return `too large (${file.bytes} bytes)`;
  if (taken.bytes + file.bytes > caps.maxTotalBytes) return 'the tree is too large in total';
  return isTaken(path, taken) ? 'its name is taken' : null;
};

export const planCheckout = (listed: readonly ListedFile[], caps: CheckoutCaps): CheckoutPlan => {
  const files: PlannedFile[] = [];
  const skipped: OmittedFile[] = [];
  const taken: Taken = { files: new Set(), folders: new Set(), bytes: 0 };
  const repeated = repeatedPaths(listed);
  for (const file of listed) {
    const path = file.path ?? '';
    const reason =
      whyPathIsRefused(file.path) ??
      (repeated.has(path) ? 'the tree has several files of this name' : whyNot(file, path, taken, caps));
    if (reason !== null) {
      skipped.push({ path: printablePath(file.rawPath), reason });
      continue;
    }
    files.push({ path, objectId: file.objectId, bytes: file.bytes });
    taken.files.add(path);
    for (const folder of foldersAbove(path)) taken.folders.add(folder);
    taken.bytes += file.bytes;
  }
  return { files, folders: [...taken.folders], skipped };
};
