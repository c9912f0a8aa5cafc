import { firstLines, hunkLines } from './hunk-lines.ts';
import type { DiffFile, Hunk, HunkLine } from './model.ts';
import { holdsBreak, showOneLine } from './one-line.ts';

/** Bytes written so far. Grown by whoever writes next; `bytes` may be longer than `at`. */
type Output = { bytes: Buffer; at: number };

const LF = 10;
const BLANK = 32;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const ZERO = 48;
const BACKSLASH = 92;
/** The longest line number and its colon. */
const MAX_NUMBER_BYTES = 11;
/** Up to here a plain loop beats the call that copies; most lines of code are shorter. */
const SHORT_COPY = 64;

/** All hunks of a file, every line with its number in front: `+11:    new_code`. */
export const annotateHunks = (file: DiffFile): string => {
  const plain = file.parents === 1 && !holdsBreak(file);
  if (!plain) return file.hunks.map(annotateCarefully).join('');
  const output: Output = { bytes: Buffer.allocUnsafe(roomFor(file.hunks)), at: 0 };
  for (const hunk of file.hunks) copyHunk(hunk, output);
  return output.bytes.toString(undefined, 0, output.at);
};

const showHeader = (hunk: Hunk): string => {
  const section = hunk.section === '' ? '' : ` ${showOneLine(hunk.section)}`;
  return `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@${section}\n`;
};

const NO_NEWLINE = '\\ No newline at end of file\n';

/** Line by line: for content that needs a closer look. */
const annotateCarefully = (hunk: Hunk): string => showHeader(hunk) + hunkLines(hunk).map(annotateLine).join('');

const SIGNS = { added: '+', removed: '-', context: ' ' } as const;

const annotateLine = (line: HunkLine): string => {
  const row = `${SIGNS[line.kind]}${line.newLine ?? line.oldLine ?? '?'}:${showOneLine(line.text)}\n`;
  return line.noNewlineAtEnd ? row + NO_NEWLINE : row;
};

/** Never less than the text takes: markers are not numbered and their own text may only get shorter. */
const roomFor = (hunks: readonly Hunk[]): number => {
  let bytes = 0;
  for (const hunk of hunks) {
    const rows = hunk.oldLines + hunk.newLines;
    bytes += hunk.bodyEnd - hunk.bodyStart + rows * (MAX_NUMBER_BYTES + 1) + Buffer.byteLength(showHeader(hunk));
    bytes += 2 * NO_NEWLINE.length;
  }
  return bytes;
};

/** The same as `annotateCarefully` on bytes, without a string per line: whole diffs pass through here. */
const copyHunk = (hunk: Hunk, output: Output): void => {
  const { source, bodyEnd } = hunk;
  const next = firstLines(hunk);
  output.at += output.bytes.write(showHeader(hunk), output.at);
  let from = hunk.bodyStart;
  while (from < bodyEnd) {
    const lineFeed = source.indexOf(LF, from);
    const to = lineFeed === -1 || lineFeed >= bodyEnd ? bodyEnd : lineFeed + 1;
    const sign = source[from];
    if (sign === BACKSLASH) output.at += output.bytes.write(NO_NEWLINE, output.at, 'latin1');
    else {
      const number = sign === MINUS ? next.old : next.new;
      if (sign !== PLUS) next.old++;
      if (sign !== MINUS) next.new++;
      // An empty row is an empty context line whose sign was stripped on the way.
      writePrefix(output, sign === LF ? BLANK : (sign ?? BLANK), number);
      copyBytes(output, source, sign === LF ? from : from + 1, to);
    }
    from = to;
  }
};

const writePrefix = (output: Output, sign: number, number: number): void => {
  const { bytes } = output;
  bytes[output.at++] = sign;
  const digits = number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : number < 10_000 ? 4 : String(number).length;
  let rest = number;
  for (let at = output.at + digits - 1; at >= output.at; at--) {
    bytes[at] = ZERO + (rest % 10);
    rest = Math.trunc(rest / 10);
  }
  output.at += digits;
  bytes[output.at++] = COLON;
};

const copyBytes = (output: Output, source: Buffer, from: number, to: number): void => {
  const { bytes } = output;
  if (to - from > SHORT_COPY) source.copy(bytes, output.at, from, to);
  else for (let at = from, into = output.at; at < to; at++, into++) bytes[into] = source[at] ?? 0;
  output.at += to - from;
};
