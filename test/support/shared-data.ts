import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where recorded payloads and API descriptions lie: a folder beside the checkout, or wherever FIXPOINT_DATA points. */
const root = process.env['FIXPOINT_DATA'] ?? resolve(import.meta.dirname, '..', '..', '..', 'shared', 'data');

/** Absolute path of a recorded file or folder, or null where the data is not present (the test is then skipped). */
export const sharedData = (...segments: readonly string[]): string | null => {
  const path = join(root, ...segments);
  return existsSync(path) ? path : null;
};
