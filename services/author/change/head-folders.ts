import type { ObjectReader } from '../../../shared/workspace/git/objects.ts';
import { readTree, type TreeEntry } from '../../../shared/workspace/git/trees.ts';
import type { HeadFolders } from './new-file.ts';

export const headFolders = async (
  objects: ObjectReader,
  { treeId, paths }: { readonly treeId: string; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<HeadFolders> => {
  const folders = new Map<string, readonly TreeEntry[]>([['', await readTree(objects, treeId, signal)]]);
  for (const path of paths) {
    let folder = '';
    for (const name of path.split('/').slice(0, -1)) {
      const bytes = Buffer.from(name, 'utf8');
      const below = folders.get(folder)?.find((entry) => entry.kind === 'folder' && entry.name.equals(bytes));
      if (below === undefined) break;
      folder = folder === '' ? name : `${folder}/${name}`;
      if (!folders.has(folder)) folders.set(folder, await readTree(objects, below.objectId, signal));
    }
  }
  return folders;
};
