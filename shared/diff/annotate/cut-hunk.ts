import { firstLines } from '../hunk-lines.ts';
import type { Hunk } from '../model.ts';

const BACKSLASH = '\\';

/** A row of the body and its line numbers. A `\ No newline` marker is part of the row above it. */
export type HunkRow = {
  readonly text: string;
  readonly old: number;
  readonly new: number;
  readonly sign: string;
};

export const readHunkRows = (hunk: Hunk): readonly HunkRow[] => {
  const rows: HunkRow[] = [];
  const next = firstLines(hunk);
  const texts = hunk.source.toString('latin1', hunk.bodyStart, hunk.bodyEnd).split('\n').slice(0, -1);
  for (const text of texts) {
    const last = rows.at(-1);
    if (text.startsWith(BACKSLASH) && last !== undefined) {
      rows[rows.length - 1] = { ...last, text: `${last.text}\n${text}` };
      continue;
    }
    const sign = text.charAt(0) === '' ? ' ' : text.charAt(0);
    rows.push({ text, sign, old: next.old, new: next.new });
    if (sign !== '+') next.old += 1;
    if (sign !== '-') next.new += 1;
  }
  return rows;
};

const spansAround = (
  rows: readonly HunkRow[],
  isWanted: (row: HunkRow) => boolean,
  context: number,
): [number, number][] => {
  const spans: [number, number][] = [];
  for (const [index, row] of rows.entries()) {
    if (!isWanted(row)) continue;
    const [start, end] = [Math.max(0, index - context), Math.min(rows.length, index + context + 1)];
    const last = spans.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else spans.push([start, end]);
  }
  return spans;
};

/** The rows must be consecutive rows of the hunk. */
export const hunkOfRows = (hunk: Hunk, rows: readonly HunkRow[]): Hunk => {
  const [first] = rows;
  const oldLines = rows.filter(({ sign }) => sign !== '+').length;
  const newLines = rows.filter(({ sign }) => sign !== '-').length;
  const oldStart = (first?.old ?? 0) - (oldLines === 0 ? 1 : 0);
  const newStart = (first?.new ?? 0) - (newLines === 0 ? 1 : 0);
  const section = hunk.section === '' ? '' : ` ${hunk.section}`;
  const header = Buffer.from(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${section}\n`);
  const body = Buffer.from(rows.map(({ text }) => `${text}\n`).join(''), 'latin1');
  const source = Buffer.concat([header, body]);
  const at = { headerStart: 0, bodyStart: header.length, bodyEnd: source.length };
  return { ...hunk, oldStart, oldLines, newStart, newLines, source, ...at };
};

/**
 * Cuts a hunk to the wanted lines of the new side, with up to `context` rows around each. A removed row counts as the new
 * line that follows it. Line numbers and bytes stay the same; a combined hunk is not cut.
 */
export const cutHunk = (hunk: Hunk, wanted: ReadonlySet<number>, context: number): readonly Hunk[] => {
  if (hunk.parents !== 1) return [hunk];
  const rows = readHunkRows(hunk);
  const spans = spansAround(rows, (row) => wanted.has(row.new), context);
  if (spans.length === 1 && spans[0]?.[0] === 0 && spans[0][1] === rows.length) return [hunk];
  return spans.map(([start, end]) => hunkOfRows(hunk, rows.slice(start, end)));
};
