const MAX_EVIDENCE_LINES = 3;
const MAX_EVIDENCE_CHARS = 1000;

/** Splits lines as git counts them: LF ends a line, a CR before it is part of the line end, and a final newline starts no line. */
export const splitLines = (text: string): readonly string[] => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
};

/** Returns the offsets at which lines start (in UTF-16 units), for `lineAt`. */
export const lineStarts = (text: string): readonly number[] => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
};

export const lineAt = (starts: readonly number[], offset: number): number => {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
};

export const quote = (lines: readonly string[], startLine: number, endLine: number): string =>
  lines
    .slice(startLine - 1, Math.min(endLine, startLine + MAX_EVIDENCE_LINES - 1))
    .join('\n')
    .slice(0, MAX_EVIDENCE_CHARS);

/** No formatter writes such a line, so a build tool did. */
const MAX_WRITTEN_CHARACTERS = 1_000;

/** Whether one of the lines, counted from 1, was written by a build tool. */
export const isBuilt = (lines: readonly string[], startLine: number, endLine: number): boolean =>
  lines.slice(startLine - 1, endLine).some((line) => line.length > MAX_WRITTEN_CHARACTERS);

const COMMENT = /(?:^|\s)(?:\/\/|\/\*|#|--)[\s*]{0,9}[\p{L}\p{N}]/u;

/** Whether a comment stands in the lines, counted from 1, or right above them. */
export const isExplained = (lines: readonly string[], startLine: number, endLine: number): boolean =>
  lines.slice(startLine - 1, endLine).some((line) => COMMENT.test(line)) ||
  /^\s{0,200}(?:\/\/|\/\*|\*|#)/.test(lines[startLine - 2] ?? '');

const HEADER_LINES = 6;
const GENERATED = /\b(?:auto-?)?generated (?:by|file|from|code)\b|\bdo not edit\b/i;

/** Whether the first lines say that a program wrote the file. */
export const isGenerated = (lines: readonly string[]): boolean =>
  lines.slice(0, HEADER_LINES).some((line) => GENERATED.test(line.slice(0, 300)));
