import { eachRow } from './hunk-lines.ts';
import type { Hunk } from './model.ts';

const BLANK = 32;
const BACKSLASH = 92;

/** Returns a hunk without its line numbers: section heading, signs and bytes. */
export const hunkContent = (hunk: Hunk): string =>
  `${hunk.section}\n${hunk.source.toString('latin1', hunk.bodyStart, hunk.bodyEnd)}`;

/** Returns added and removed lines with their signs, without blank lines. Hunks that share a line are versions of each other. */
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
