import { createHash, type Hash } from 'node:crypto';
import type { Diff, DiffFile, Hunk } from './model.ts';

/**
 * Returns the SHA-256 of a patch's content as 64 hex digits. Two heads with the same fingerprint are *candidates* for
 * the same input; only their trees decide. The hash includes paths, status, modes, the bytes of every changed line and
 * of three lines of context, the section heading of each hunk, and blob ids of files without hunks. Because of the
 * headings, the same change in another function is a different patch. It excludes line numbers, blob ids of text files,
 * and the order of files. So a rebase that leaves the context unchanged keeps the fingerprint. The diff must have
 * `--full-index` and three lines of context.
 */
export const fingerprint = (diff: Diff): string => {
  const files = diff.files.map(hashFile).toSorted();
  const hash = createHash('sha256');
  for (const file of files) addField(hash, file);
  return hash.digest('hex');
};

const hashFile = (file: DiffFile): string => {
  const hash = createHash('sha256');
  addField(hash, file.status);
  addField(hash, file.oldPathRaw);
  addField(hash, file.newPathRaw);
  addField(hash, file.oldMode ?? '');
  addField(hash, file.newMode ?? '');
  if (isNamedByBlob(file)) {
    addField(hash, file.oldBlob ?? '');
    addField(hash, file.newBlob ?? '');
  }
  if (file.binaryPatch !== null) addBytes(hash, file.binaryPatch);
  for (const hunk of file.hunks) addHunk(hash, hunk);
  return hash.digest('hex');
};

/** If there is no text to hash, only the blob ids distinguish two contents. The ids of a submodule are also in its hunk. */
const isNamedByBlob = (file: DiffFile): boolean => file.binary || !file.complete || file.hunks.length === 0;

const addHunk = (hash: Hash, hunk: Hunk): void => {
  addField(hash, hunk.section);
  addBytes(hash, hunk.source.subarray(hunk.bodyStart, hunk.bodyEnd));
};

/** Each field is prefixed with its length, so that different lists of fields never give the same bytes. */
const addField = (hash: Hash, text: string): void => {
  addBytes(hash, Buffer.from(text, 'utf8'));
};

const addBytes = (hash: Hash, bytes: Buffer): void => {
  hash.update(`${bytes.length}:`).update(bytes);
};
