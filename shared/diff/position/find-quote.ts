import { collapseBlanks } from '../../text/collapse-blanks.ts';

/** Shorter quotations say nothing about where they come from. */
const MIN_QUOTE_CHARACTERS = 4;

export type QuotedRun = { readonly first: number; readonly last: number };

/**
 * Every run of consecutive `lines` (indices, both inclusive) that holds the quotation: inner lines equal, the first
 * may begin and the last may end within a line; white space does not count. Empty lines around the quotation are
 * dropped. A quotation without substance is found nowhere. Linear in both, also where all lines are equal.
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

/** Where `wanted` begins in `rows`: Knuth, Morris and Pratt's search, which never goes back. No lines begin everywhere. */
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

/** For each index, how many lines before and with it are also the first ones. */
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
