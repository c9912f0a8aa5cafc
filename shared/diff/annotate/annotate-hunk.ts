import { firstLines, hunkLines } from '../hunk-lines.ts';
import type { DiffFile, Hunk, HunkLine } from '../model.ts';
import { showOneLine } from './one-line.ts';

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
/**
 * Renders all hunks of a file. Every line starts with its sign and two columns of numbers, first the old side's, then the new side's:
 * ` 10 11:kept`, `-11 :removed`, `+ 12:added`.
 */
export const annotateHunks = (file: DiffFile): string => file.hunks.map(annotateHunk).join('');

const showHeader = ({ source, headerStart, bodyStart }: Hunk): string =>
  `${showOneLine(source.toString(undefined, headerStart, bodyStart - 1))}\n`;

const NO_NEWLINE = '\\ No newline at end of file\n';

const annotateHunk = (hunk: Hunk): string => showHeader(hunk) + hunkLines(hunk).map(annotateLine).join('');

const SIGNS = { added: '+', removed: '-', context: ' ' } as const;

const annotateLine = (line: HunkLine): string => {
  const row = `${SIGNS[line.kind]}${line.oldLine ?? ''} ${line.newLine ?? ''}:${showOneLine(line.text)}\n`;
  return line.noNewlineAtEnd ? row + NO_NEWLINE : row;
};

/** Returns an upper bound on the bytes that `copyHunks` writes. */
export const roomForHunks = (hunks: readonly Hunk[]): number => {
  let bytes = 0;
  for (const hunk of hunks) {
    const rows = hunk.oldLines + hunk.newLines;
    bytes += hunk.bodyEnd - hunk.headerStart + rows * MAX_PREFIX_BYTES + 2 * NO_NEWLINE.length;
  }
  return bytes;
};

/**
 * Like `annotateHunks`, but writes bytes and creates no string per line, because whole diffs pass through it. Only for
 * files with one parent and without characters that look like a line break. Returns the index after the last byte written.
 */
export const copyHunks = (hunks: readonly Hunk[], output: Buffer, from: number): number => {
  let at = from;
  for (const hunk of hunks) {
    for (let from = hunk.headerStart; from < hunk.bodyStart; from++) output[at++] = hunk.source[from] ?? LF;
    at = copyRows(hunk, output, at);
  }
  return at;
};

const copyRows = (hunk: Hunk, output: Buffer, start: number): number => {
  const { source, bodyStart, bodyEnd } = hunk;
  const next = firstLines(hunk);
  let [from, at] = [bodyStart, start];
  while (from < bodyEnd) {
    const sign = source[from] ?? LF;
    if (sign === BACKSLASH) {
      at += output.write(NO_NEWLINE, at, 'latin1');
      from = source.indexOf(LF, from) + 1 || bodyEnd;
      continue;
    }
    output[at++] = sign === LF ? BLANK : sign;
    if (sign !== PLUS) at = writeNumber(output, at, next.old);
    output[at++] = BLANK;
    if (sign !== MINUS) at = writeNumber(output, at, next.new);
    output[at++] = COLON;
    if (sign !== PLUS) next.old++;
    if (sign !== MINUS) next.new++;
    // An empty row is an empty context line that has lost its leading blank.
    if (sign !== LF) from++;
    // Bytes are copied one by one, because most lines are too short for a copy call to pay off.
    for (let byte = -1; byte !== LF && from < bodyEnd; from++) {
      byte = source[from] ?? LF;
      output[at++] = byte;
    }
  }
  return at;
};

const writeNumber = (output: Buffer, at: number, number: number): number => {
  let digits = 1;
  for (let bound = 10; number >= bound; bound *= 10) digits++;
  let rest = number;
  for (let place = at + digits - 1; place >= at; place--) {
    // `| 0` keeps `tenth` an integer for the JIT compiler.
    const tenth = (rest / 10) | 0;
    output[place] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return at + digits;
};
