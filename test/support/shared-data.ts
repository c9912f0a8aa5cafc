import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folder with recorded payloads and API descriptions: FIXPOINT_DATA, or a folder beside the checkout. */
const root = process.env['FIXPOINT_DATA'] ?? resolve(import.meta.dirname, '..', '..', '..', 'shared', 'data');

/** Absolute path of a recorded file or folder; null when it does not exist (the test is then skipped). */
export const sharedData = (...segments: readonly string[]): string | null => {
  const path = join(root, ...segments);
  return existsSync(path) ? path : null;
};
