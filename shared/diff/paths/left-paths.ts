/** The paths that a review left out, as a short list: files, and folders with everything below them. Folders end with a slash. */

/** If there are more entries, they are replaced by their folders. */
export const MAX_LEFT = 60;
const MAX_LEFT_CHARACTERS = 4_000;

/** True if the path is one of the entries or below one of them. */
export const isUnder = (path: string, entries: readonly string[]): boolean =>
  entries.some((entry) => (entry.endsWith('/') ? path.startsWith(entry) : path === entry));

/** True if the entries are equal or one is below the other. */
export const overlaps = (one: string, other: string): boolean => isUnder(one, [other]) || isUnder(other, [one]);

const folderOf = (path: string): string => {
  const inner = path.endsWith('/') ? path.slice(0, -1) : path;
  return inner.slice(0, inner.lastIndexOf('/') + 1);
};

const depthOf = (path: string): number => folderOf(path).split('/').length;

/** Every folder above the path, nearest first, without the root. */
const foldersAbove = (path: string): readonly string[] => {
  const folder = folderOf(path);
  return folder === '' ? [] : [folder, ...foldersAbove(folder)];
};

/** Replaces a folder's files by the folder if nothing below it was seen. */
const wholeFolders = (left: readonly string[], seen: readonly string[]): readonly string[] => {
  const touched = new Set(seen.flatMap(foldersAbove));
  return [...new Set(left.map((path) => foldersAbove(path).findLast((folder) => !touched.has(folder)) ?? path))];
};

const isShort = (entries: readonly string[]): boolean =>
  entries.length <= MAX_LEFT && entries.join('').length <= MAX_LEFT_CHARACTERS;

/** Replaces the deepest entries by their folders; null if one of them is in the root. */
const coarser = (entries: readonly string[]): readonly string[] | null => {
  const deepest = entries.reduce((most, entry) => Math.max(most, depthOf(entry)), 0);
  const raised = entries.map((entry) => (depthOf(entry) === deepest ? folderOf(entry) : entry));
  if (raised.includes('')) return null;
  const folders = new Set(raised);
  return [...folders].filter((entry) => !foldersAbove(entry).some((folder) => folders.has(folder)));
};

/**
 * Returns entries that cover every path of `left`, in the order of paths. They may also cover paths of `seen`, which
 * are then reviewed again. Null if even the shortest list is too long, so that only the whole change can be named.
 */
export const leftEntries = (left: readonly string[], seen: readonly string[]): readonly string[] | null => {
  let entries: readonly string[] | null = wholeFolders(left, seen);
  while (entries !== null && !isShort(entries)) entries = coarser(entries);
  return entries === null ? null : entries.toSorted();
};
