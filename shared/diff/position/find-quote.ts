import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** Shorter quotes match in too many places. */
const MIN_QUOTE_CHARACTERS = 4;

export type QuotedRun = { readonly first: number; readonly last: number };

/**
 * Returns every run of consecutive `lines` that contains the quote (indices, both inclusive). Inner lines must be equal;
 * the quote may start within the first line and end within the last. Whitespace and empty lines around the quote are
 * ignored. A quote that is too short is not found. Linear in both inputs, even if all lines are equal.
 */
export const findQuote = (lines: readonly string[], quote: string): readonly QuotedRun[] => {
  const wanted = quote.trim().split('\n').map(collapseBlanks);
  if (wanted.join('').length < MIN_QUOTE_CHARACTERS) return [];
  const rows = lines.map(collapseBlanks);
  const [head = '', ...others] = wanted;
  const tail = others.pop();
  if (tail === undefined) return rows.flatMap((row, at) => (row.includes(head) ? [{ first: at, last: at }] : []));
  return startsOf(others, rows)
    .filter(
      (start) => rows[start - 1]?.endsWith(head) === true && rows[start + others.length]?.startsWith(tail) === true,
    )
    .map((start) => ({ first: start - 1, last: start + others.length }));
};

/** Finds `wanted` in `rows` with the Knuth–Morris–Pratt algorithm. An empty `wanted` is found at every row. */
const startsOf = (wanted: readonly string[], rows: readonly string[]): readonly number[] => {
  if (wanted.length === 0) return rows.map((_, at) => at);
  const borders = bordersOf(wanted);
  const starts: number[] = [];
  let matched = 0;
  for (const [at, row] of rows.entries()) {
    while (matched > 0 && (matched === wanted.length || wanted[matched] !== row)) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === row) matched += 1;
    if (matched === wanted.length) starts.push(at - matched + 1);
  }
  return starts;
};

/** The failure function: for each index, the length of the longest border that ends there. */
const bordersOf = (wanted: readonly string[]): readonly number[] => {
  const borders = [0];
  let matched = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (matched > 0 && wanted[matched] !== wanted[at]) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === wanted[at]) matched += 1;
    borders.push(matched);
  }
  return borders;
};
