import { isAscii, isUtf8 } from 'node:buffer';
import { annotateFile, annotateHeader } from './annotate-file.ts';
import { copyHunk, roomForHunks, type Words, wordsOf } from './copy-rows.ts';
import type { DiffFile, Hunk } from '../model.ts';
import { mayHoldBreak } from './one-line.ts';

/** A file in `Output.bytes`. Its hunks start at `hunksStart`. */
type Written = { readonly file: DiffFile; readonly start: number; readonly hunksStart: number; readonly end: number };

/**
 * The output is the decoded `text`, followed by `files`, which are in `bytes` up to `at`. One buffer serves all files,
 * because allocation is slow.
 */
type Output = {
  text: string;
  textBytes: number;
  bytes: Words;
  at: number;
  files: Written[];
  /** The source of the last hunk: almost always that of the next one, too. */
  source: Words;
};

const LF = 10;
/**
 * Node keeps a string that it decodes from more than 1 MB outside of V8's heap, where the garbage collector does not move it:
 * that saves a third of the time of annotating.
 */
const BUFFER_BYTES = 2 * 1024 * 1024;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const MAX_GROWTH = 3;

/** Returns null if the text would exceed the limit. Writes bytes for speed; only files with unusual characters need strings. */
export const annotateWhole = (files: readonly DiffFile[], maxBytes: number): string | null => {
  if (contentBytes(files) > maxBytes) return null;
  const output = createOutput();
  for (const file of files) {
    writeFile(output, file);
    if (output.textBytes > maxBytes) return null;
  }
  flush(output);
  return output.textBytes > maxBytes ? null : output.text;
};

const createOutput = (): Output => ({
  text: '',
  textBytes: 0,
  bytes: wordsOf(Buffer.allocUnsafeSlow(BUFFER_BYTES)),
  at: 0,
  files: [],
  source: wordsOf(Buffer.alloc(0)),
});

/** Returns a lower bound on the bytes of the annotated text. */
const contentBytes = (files: readonly DiffFile[]): number => {
  let bytes = 0;
  for (const file of files) for (const hunk of file.hunks) bytes += hunk.bodyEnd - hunk.bodyStart;
  return bytes;
};

const append = (output: Output, text: string, bytes: number): void => {
  const isFirst = output.textBytes === 0;
  output.text += isFirst ? text : `\n${text}`;
  output.textBytes += isFirst ? bytes : bytes + 1;
};

const appendBytes = (output: Output, written: Buffer): void => {
  if (isAscii(written)) return append(output, written.toString('latin1'), written.length);
  const text = written.toString();
  append(output, text, isUtf8(written) ? written.length : Buffer.byteLength(text));
};

const appendText = (output: Output, text: string): void => append(output, text, Buffer.byteLength(text));

/** Characters that look like a line break are rare, so all files are searched at once, and one by one only if there is any. */
const flush = (output: Output): void => {
  const { files, at } = output;
  const bytes = output.bytes.bytes;
  if (at > 0 && !mayHoldBreak(bytes.subarray(0, at))) appendBytes(output, bytes.subarray(0, at));
  else {
    for (const { file, start, hunksStart, end } of files) {
      if (mayHoldBreak(bytes.subarray(hunksStart, end))) appendText(output, annotateFile(file));
      else appendBytes(output, bytes.subarray(start, end));
    }
  }
  output.files = [];
  output.at = 0;
};

const makeRoom = (output: Output, bytes: number): void => {
  if (output.at + bytes <= output.bytes.bytes.length) return;
  flush(output);
  if (bytes > output.bytes.bytes.length) output.bytes = wordsOf(Buffer.allocUnsafeSlow(bytes));
};

const writeFile = (output: Output, file: DiffFile): void => {
  if (file.parents !== 1) {
    flush(output);
    appendText(output, annotateFile(file));
    return;
  }
  const header = annotateHeader(file);
  makeRoom(output, 1 + header.length * MAX_GROWTH + roomForHunks(file.hunks));
  const { bytes } = output.bytes;
  if (output.at > 0) bytes[output.at++] = LF;
  const start = output.at;
  const hunksStart = start + bytes.write(header, start);
  output.at = hunksStart;
  for (const hunk of file.hunks) writeHunk(output, hunk);
  output.files.push({ file, start, hunksStart, end: output.at });
};

const writeHunk = (output: Output, hunk: Hunk): void => {
  if (output.source.bytes !== hunk.source) output.source = wordsOf(hunk.source);
  output.at = copyHunk(hunk, { source: output.source, output: output.bytes }, output.at);
};
