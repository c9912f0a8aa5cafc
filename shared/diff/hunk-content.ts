import { eachRow } from './hunk-lines.ts';
import type { Hunk } from './model.ts';

const BLANK = 32;
const BACKSLASH = 92;

/** What a hunk says apart from its numbers: heading, signs and bytes. Equal strings mean equal hunks. */
export const hunkContent = (hunk: Hunk): string =>
  `${hunk.section}\n${hunk.source.toString('latin1', hunk.bodyStart, hunk.bodyEnd)}`;

/**
 * The added and removed lines with their signs: two hunks with one in common are versions of each other. Blank lines
 * say nothing about identity and are left out.
 */
export const changedRows = (hunk: Hunk): ReadonlySet<string> => {
  const rows = new Set<string>();
  eachRow(hunk, (start, end) => {
    const sign = hunk.source[start];
    if (sign === BLANK || sign === BACKSLASH || start === end) return;
    const row = hunk.source.toString('latin1', start, end);
    if (row.slice(1).trim() !== '') rows.add(row);
  });
  return rows;
};
