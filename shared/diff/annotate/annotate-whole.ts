import { isUtf8 } from 'node:buffer';
import { annotateFile, annotateHeader } from './annotate-file.ts';
import { copyHunks, roomForHunks } from './annotate-hunk.ts';
import type { DiffFile } from '../model.ts';
import { mayHoldBreak } from './one-line.ts';

/** The output is the decoded `text`, followed by `bytes` up to `at`. One buffer serves all files, because allocation is slow. */
type Output = { text: string; textBytes: number; bytes: Buffer; at: number };

const BUFFER_BYTES = 512 * 1024;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const MAX_GROWTH = 3;

/** Returns null if the text would exceed the limit. Writes bytes for speed; only files with unusual characters need strings. */
export const annotateWhole = (files: readonly DiffFile[], maxBytes: number): string | null => {
  if (contentBytes(files) > maxBytes) return null;
  const output: Output = { text: '', textBytes: 0, bytes: Buffer.allocUnsafeSlow(BUFFER_BYTES), at: 0 };
  for (const [index, file] of files.entries()) {
    if (index > 0) writeText(output, '\n');
    writeFile(output, file);
    if (output.textBytes > maxBytes) return null;
  }
  flush(output);
  return output.textBytes > maxBytes ? null : output.text;
};

/** Returns a lower bound on the bytes of the annotated text. */
const contentBytes = (files: readonly DiffFile[]): number => {
  let bytes = 0;
  for (const file of files) for (const hunk of file.hunks) bytes += hunk.bodyEnd - hunk.bodyStart;
  return bytes;
};

const flush = (output: Output): void => {
  const written = output.bytes.subarray(0, output.at);
  const text = written.toString();
  output.text += text;
  output.textBytes += isUtf8(written) ? written.length : Buffer.byteLength(text);
  output.at = 0;
};

const makeRoom = (output: Output, bytes: number): void => {
  if (output.at + bytes <= output.bytes.length) return;
  flush(output);
  if (bytes > output.bytes.length) output.bytes = Buffer.allocUnsafeSlow(bytes);
};

const writeText = (output: Output, text: string): void => {
  makeRoom(output, text.length * MAX_GROWTH);
  output.at += output.bytes.write(text, output.at);
};

const writeFile = (output: Output, file: DiffFile): void => {
  const header = annotateHeader(file);
  if (file.parents === 1) {
    makeRoom(output, header.length * MAX_GROWTH + roomForHunks(file.hunks));
    const start = output.at;
    const hunksStart = start + output.bytes.write(header, start);
    output.at = copyHunks(file.hunks, output.bytes, hunksStart);
    if (!mayHoldBreak(output.bytes.subarray(hunksStart, output.at))) return;
    output.at = start;
  }
  writeText(output, annotateFile(file));
};
