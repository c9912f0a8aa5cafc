export type FolderCount = { readonly folder: string; readonly files: number };

/** The folders of the files, ordered by their number of files, most first. */
export const foldersOf = (paths: readonly string[]): readonly FolderCount[] => {
  const counts = new Map<string, number>();
  for (const path of new Set(paths)) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1) || './';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .map(([folder, files]) => ({ folder, files }))
    .toSorted((one, two) => two.files - one.files || (one.folder < two.folder ? -1 : 1));
};
