/** Files of a checkout as a model may see them. Files are redacted as a whole, because one line of a key looks harmless. */
import { readSource } from '../../rules/read-source.ts';
import type { Tree } from '../../workspace/tree/tree.ts';
import type { Protect } from '../present-result.ts';

export type SafeFile =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly isBinary?: true };

/** Contract: returns the same file for the same path, because the checkout does not change. */
export type WorkspaceFiles = { readonly tree: Tree; read(path: string, signal: AbortSignal): Promise<SafeFile> };

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const KEEP_FILES = 64;

const refused = (reason: string) => ({ kind: 'refused', reason }) as const;

export const readWhole = async (tree: Tree, path: string, signal: AbortSignal): Promise<Buffer | string> => {
  const file = await tree.read(path, MAX_FILE_BYTES, signal);
  return file.kind === 'refused' ? file.reason : file.data;
};

export const textLines = (text: string): readonly string[] => {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

export const createWorkspaceFiles = (tree: Tree, protect: Protect): WorkspaceFiles => {
  const kept = new Map<string, SafeFile>();
  const load = async (path: string, signal: AbortSignal): Promise<SafeFile> => {
    const data = await readWhole(tree, path, signal);
    if (typeof data === 'string') return refused(data);
    const reading = readSource(path, data);
    if (reading.kind === 'binary') return { ...refused(`a binary file of ${data.length} bytes`), isBinary: true };
    if (reading.kind === 'undecodable') return refused(`a file that cannot be read: ${reading.reason}`);
    return { kind: 'lines', lines: textLines(await protect(reading.text, signal)) };
  };
  return {
    tree,
    read: async (path, signal) => {
      signal.throwIfAborted();
      const known = kept.get(path);
      if (known !== undefined) return known;
      const file = await load(path, signal);
      if (kept.size >= KEEP_FILES) kept.delete(kept.keys().next().value ?? '');
      kept.set(path, file);
      return file;
    },
  };
};
