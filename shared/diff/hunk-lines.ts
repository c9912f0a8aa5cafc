import type { Hunk, HunkLine } from './model.ts';

const BACKSLASH = 92;
const LF = 10;

type Counters = { old: number; new: number };

/** Returns the first line number of each side. For a side without lines, git names the line before the gap. */
export const firstLines = (hunk: Hunk): Counters => ({
  old: hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart,
  new: hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart,
});

/** Decodes all lines of a hunk. This allocates one object per line, so call it only for hunks that are needed. */
export const hunkLines = (hunk: Hunk): readonly HunkLine[] => {
  // Decoding the whole body at once is safe: an invalid UTF-8 sequence never swallows a line feed.
  const rows = hunk.source.toString('utf8', hunk.bodyStart, hunk.bodyEnd).split('\n');
  rows.pop();
  const next = firstLines(hunk);
  const lines: HunkLine[] = [];
  for (const row of rows) {
    if (row.charCodeAt(0) === BACKSLASH) markLast(lines);
    else lines.push(toLine(row, hunk.parents, next));
  }
  return lines;
};

const markLast = (lines: HunkLine[]): void => {
  const last = lines.pop();
  if (last !== undefined) lines.push({ ...last, noNewlineAtEnd: true });
};

const toLine = (row: string, parents: number, next: Counters): HunkLine => {
  // An empty row is an empty context line that has lost its leading blank; GNU diff also writes it like this.
  const signs = row === '' ? ' ' : row.slice(0, parents);
  const text = row.slice(parents);
  const first = signs.charAt(0);
  if (signs.includes('-')) {
    return { kind: 'removed', oldLine: first === '-' ? next.old++ : null, newLine: null, text, noNewlineAtEnd: false };
  }
  if (first === '+') return { kind: 'added', oldLine: null, newLine: next.new++, text, noNewlineAtEnd: false };
  return { kind: 'context', oldLine: next.old++, newLine: next.new++, text, noNewlineAtEnd: false };
};

/** Calls `visit` with the byte range of every row, including its sign but not its LF; marker rows are included. */
export const eachRow = (hunk: Hunk, visit: (start: number, end: number) => void): void => {
  let start = hunk.bodyStart;
  while (start < hunk.bodyEnd) {
    const lineFeed = hunk.source.indexOf(LF, start);
    const end = lineFeed === -1 || lineFeed > hunk.bodyEnd ? hunk.bodyEnd : lineFeed;
    visit(start, end);
    start = end + 1;
  }
};
