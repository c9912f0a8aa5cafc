import { firstLines } from '../hunk-lines.ts';
import type { Hunk } from '../model.ts';

const LF = 10;
const BLANK = 32;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const ZERO = 48;
const BACKSLASH = 92;
const MAX_NUMBER_BYTES = 11;
/** The sign, two numbers, the blank between them, and the colon. */
const MAX_PREFIX_BYTES = 2 * MAX_NUMBER_BYTES + 3;
const NO_NEWLINE = Buffer.from('\\ No newline at end of file\n');
/** Text is copied in words of this size. The last word may be written partly behind the row. */
const WORD_BYTES = 4;

/** A buffer, and the same bytes for access in words. */
export type Words = { readonly bytes: Buffer; readonly view: DataView };

export const wordsOf = (bytes: Buffer): Words => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
});

/** `source` must be the source of the hunk. */
export type Copying = { readonly source: Words; readonly output: Words };

/** Returns an upper bound on the bytes that `copyHunk` writes. */
export const roomForHunks = (hunks: readonly Hunk[]): number => {
  let bytes = 0;
  for (const hunk of hunks) {
    const rows = hunk.oldLines + hunk.newLines;
    bytes += hunk.bodyEnd - hunk.headerStart + rows * MAX_PREFIX_BYTES + 2 * NO_NEWLINE.length + WORD_BYTES;
  }
  return bytes;
};

/**
 * Like `annotateHunks`, but writes bytes and creates no string per line, because whole diffs pass through it. Only for
 * hunks with one parent and without characters that look like a line break. Returns the index after the last byte written.
 */
export const copyHunk = (hunk: Hunk, copying: Copying, start: number): number => {
  const { bodyStart, bodyEnd } = hunk;
  const { source } = copying;
  const { bytes } = copying.output;
  let { old: oldLine, new: newLine } = firstLines(hunk);
  let at = start + copyRow(copying, hunk.headerStart, bodyStart, start);
  let from = bodyStart;
  while (from < bodyEnd) {
    const sign = source.bytes[from] ?? LF;
    if (sign === BACKSLASH) {
      at += NO_NEWLINE.copy(bytes, at);
      from = source.bytes.indexOf(LF, from) + 1 || bodyEnd;
      continue;
    }
    bytes[at++] = sign === LF ? BLANK : sign;
    if (sign !== PLUS) at = writeNumber(bytes, at, oldLine++);
    bytes[at++] = BLANK;
    if (sign !== MINUS) at = writeNumber(bytes, at, newLine++);
    bytes[at++] = COLON;
    // An empty row is an empty context line that has lost its leading blank.
    if (sign !== LF) from++;
    const bytesOfRow = copyRow(copying, from, bodyEnd, at);
    at += bytesOfRow;
    from += bytesOfRow;
  }
  return at;
};

const EACH_LF = 0x0a_0a_0a_0a;
const EACH_ONE = 0x01_01_01_01;
const EACH_HIGH = 0x80_80_80_80;

/** The well-known test for a zero byte in a word, here on the word in which a zero byte stands for a line feed. */
const holdsLf = (word: number): boolean => {
  const zeroed = word ^ EACH_LF;
  return ((zeroed - EACH_ONE) & ~zeroed & EACH_HIGH) !== 0;
};

/**
 * Copies the bytes up to the next line feed and the line feed itself, and returns their number. A word at a time takes
 * half the time of a byte at a time, and most lines are too short for a call of `copy` to pay off.
 */
const copyRow = ({ source, output }: Copying, start: number, end: number, target: number): number => {
  const lastWord = Math.min(end, source.bytes.length) - WORD_BYTES;
  const shift = target - start;
  let from = start;
  while (from <= lastWord) {
    const word = source.view.getInt32(from, true);
    if (holdsLf(word)) break;
    output.view.setInt32(from + shift, word, true);
    from += WORD_BYTES;
  }
  for (let byte = -1; byte !== LF && from < end; from++) {
    byte = source.bytes[from] ?? LF;
    output.bytes[from + shift] = byte;
  }
  return from - start;
};

const writeNumber = (output: Buffer, at: number, number: number): number => {
  // `| 0` keeps the quotients integers for the JIT compiler.
  const tens = (number / 10) | 0;
  const end = number < 10 ? at : writeNumber(output, at, tens);
  output[end] = ZERO + number - tens * 10;
  return end + 1;
};
