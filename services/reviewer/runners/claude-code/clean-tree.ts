/**
 * The checkout as a model may see it. The CLI's tools show files as they are, so secrets are taken out, and hidden
 * characters made visible, before it starts: line by line the same as our own tools would show.
 */
import { chmod, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Protect } from '../../../../shared/agent/present-result.ts';
import { showHidden } from '../../../../shared/text/visible.ts';

const BINARY_WINDOW = 8000;

/** @throws what `protect` throws: what could not be looked at must not be shown. */
export const cleanTree = async (root: string, protect: Protect, signal: AbortSignal): Promise<void> => {
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    signal.throwIfAborted();
    if (entry.isFile()) await cleanFile(path.join(entry.parentPath, entry.name), protect, signal);
  }
};

const cleanFile = async (file: string, protect: Protect, signal: AbortSignal): Promise<void> => {
  const data = await readFile(file);
  if (data.subarray(0, BINARY_WINDOW).includes(0)) return;
  const text = data.toString('utf8');
  const safe = showHidden(await protect(text, signal));
  if (safe === text) return;
  const { mode } = await lstat(file);
  await chmod(file, 0o600);
  await writeFile(file, safe);
  await chmod(file, mode);
};
