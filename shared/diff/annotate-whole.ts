import { isUtf8 } from 'node:buffer';
import { annotateFile, annotateHeader } from './annotate-file.ts';
import { copyHunks, roomForHunks } from './annotate-hunk.ts';
import type { DiffFile } from './model.ts';
import { mayHoldBreak } from './one-line.ts';

/** Bytes written so far; replaced by a larger one when the next file may not fit. */
type Output = { bytes: Buffer; at: number };

/** Room for the headers of a file apart from its hunks; more is made when names are longer. */
const HEADER_BYTES = 512;

/**
 * All files in one text, or null as soon as it exceeds the limit. The usual case is that everything fits, so it is
 * written as bytes and decoded once; only files with unusual characters are taken apart line by line.
 */
export const annotateWhole = (files: readonly DiffFile[], maxBytes: number): string | null => {
  if (contentBytes(files) > maxBytes) return null;
  const output: Output = { bytes: Buffer.allocUnsafe(roomFor(files)), at: 0 };
  for (const [index, file] of files.entries()) {
    if (index > 0) writeText(output, '\n');
    writeFile(output, file);
    if (output.at > maxBytes) return null;
  }
  const written = output.bytes.subarray(0, output.at);
  const text = written.toString();
  // Bytes that are not UTF-8 grow to replacement characters.
  return isUtf8(written) || Buffer.byteLength(text) <= maxBytes ? text : null;
};

/** What no annotation can be shorter than. */
const contentBytes = (files: readonly DiffFile[]): number => {
  let bytes = 0;
  for (const file of files) for (const hunk of file.hunks) bytes += hunk.bodyEnd - hunk.bodyStart;
  return bytes;
};

const roomFor = (files: readonly DiffFile[]): number => {
  let bytes = 0;
  for (const file of files) bytes += HEADER_BYTES + roomForHunks(file.hunks);
  return bytes;
};

const makeRoom = (output: Output, bytes: number): void => {
  if (output.at + bytes <= output.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(output.at + bytes, output.bytes.length * 2));
  output.bytes.copy(grown, 0, 0, output.at);
  output.bytes = grown;
};

const writeText = (output: Output, text: string): void => {
  makeRoom(output, text.length * 3);
  output.at += output.bytes.write(text, output.at);
};

const writeFile = (output: Output, file: DiffFile): void => {
  const start = output.at;
  if (file.parents === 1) {
    writeText(output, annotateHeader(file));
    makeRoom(output, roomForHunks(file.hunks));
    output.at = copyHunks(file.hunks, output.bytes, output.at);
    if (!mayHoldBreak(output.bytes.subarray(start, output.at))) return;
    output.at = start;
  }
  writeText(output, annotateFile(file));
};
