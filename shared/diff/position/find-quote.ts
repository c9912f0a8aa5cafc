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

const MAX_JOINED = 20;

/** Finds a quote whose line breaks differ from those of the file, such as two lines joined into one. At most 20 matches. */
export const findJoinedQuote = (lines: readonly string[], quote: string): readonly QuotedRun[] => {
  const wanted = collapseBlanks(quote);
  if (wanted.length < MIN_QUOTE_CHARACTERS) return [];
  const { text, starts, numbers } = joinLines(lines);
  const runs: QuotedRun[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && runs.length < MAX_JOINED; ) {
    const end = at + wanted.length;
    const [first, last] = [lastAtMost(starts, at), lastAtMost(starts, end - 1)];
    runs.push({ first: numbers[first] ?? 0, last: numbers[last] ?? 0 });
    at = text.indexOf(wanted, end);
  }
  return runs;
};

type Joined = { readonly text: string; readonly starts: readonly number[]; readonly numbers: readonly number[] };

/**
 * Joins all lines that are not blank with single spaces. `starts`: where each line begins in the text; `numbers`: its
 * index in `lines`.
 */
const joinLines = (lines: readonly string[]): Joined => {
  const [rows, starts, numbers]: [string[], number[], number[]] = [[], [], []];
  let length = 0;
  for (const [index, line] of lines.entries()) {
    const row = collapseBlanks(line);
    if (row === '') continue;
    rows.push(row);
    starts.push(length);
    numbers.push(index);
    length += row.length + 1;
  }
  return { text: rows.join(' '), starts, numbers };
};

/** The index of the last value that is at most `limit`. The values ascend. */
const lastAtMost = (values: readonly number[], limit: number): number => {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((values[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
};
