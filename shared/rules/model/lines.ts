const MAX_EVIDENCE_LINES = 3;
const MAX_EVIDENCE_CHARS = 1000;

/**
 * Splits lines as git counts them: LF ends a line, a CR before the LF is part of the line end, and a final LF starts no
 * further line.
 */
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

/** Quotes of strings that may span several lines. */
export const LONG_QUOTES = ['"""', "'''", '`'] as const;
