import type { AttributesFile } from '../../../shared/diff/paths/attributes.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';

const MAX_BYTES = 256 * 1024;
const MAX_FOLDERS = 500;

export type AttributesRequest = { readonly commit: CommitSha; readonly files: readonly DiffFile[] };

export const readAttributes = async (
  revisions: Revisions,
  { commit, files }: AttributesRequest,
  signal: AbortSignal,
): Promise<readonly AttributesFile[]> => {
  const found: AttributesFile[] = [];
  for (const folder of foldersAbove(files)) {
    const path = folder === '' ? '.gitattributes' : `${folder}/.gitattributes`;
    const content = await revisions.readFile({ commit, path, maxBytes: MAX_BYTES }, signal);
    if (content.kind === 'text') found.push({ folder, text: content.text });
  }
  return found;
};

const foldersAbove = (files: readonly DiffFile[]): readonly string[] => {
  const folders = new Set<string>(['']);
  for (const { newPath } of files) {
    const parts = newPath.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length && folders.size < MAX_FOLDERS; depth += 1) {
      folders.add(parts.slice(0, depth).join('/'));
    }
  }
  return [...folders];
};
