/** White space and line ends are what a quotation most often loses. */
const normalise = (line: string): string => line.replaceAll(/\s+/g, ' ').trim();

/** Shorter quotations say nothing about where they come from. */
const MIN_QUOTE_CHARACTERS = 4;

export type QuotedRun = { readonly first: number; readonly last: number };

/**
 * Every run of consecutive `lines` (indices, both inclusive) that holds the quotation: inner lines equal, the first
 * may begin and the last may end within a line; white space does not count. Empty lines around the quotation are
 * dropped. A quotation without substance is found nowhere.
 */
export const findQuote = (lines: readonly string[], quote: string): readonly QuotedRun[] => {
  const wanted = quote.trim().split('\n').map(normalise);
  if (wanted.join('').length < MIN_QUOTE_CHARACTERS) return [];
  const rows = lines.map(normalise);
  const runs: QuotedRun[] = [];
  for (let first = 0; first + wanted.length <= rows.length; first++) {
    if (holdsAt(rows, wanted, first)) runs.push({ first, last: first + wanted.length - 1 });
  }
  return runs;
};

const holdsAt = (rows: readonly string[], wanted: readonly string[], first: number): boolean =>
  wanted.every((text, offset) => {
    const row = rows[first + offset] ?? '';
    if (wanted.length === 1) return row.includes(text);
    if (offset === 0) return row.endsWith(text);
    return offset === wanted.length - 1 ? row.startsWith(text) : row === text;
  });
