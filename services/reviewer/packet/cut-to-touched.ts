/** Which rows of a changed file a later review shows: at least all changed rows that no earlier review has seen. */
import { cutHunk, readHunkRows } from '../../../shared/diff/annotate/cut-hunk.ts';
import type { FileDelta } from '../../../shared/diff/delta.ts';
import type { Hunk } from '../../../shared/diff/model.ts';

/** Number of context rows around a change; the model can read the rest of the file. */
const CONTEXT_ROWS = 8;

/**
 * The hunks that are new or changed since the last review. A changed hunk is cut to the touched lines, because it may be a
 * whole new file in which the last push changed one line. It stays whole if the lines are unknown, if the base of the
 * file has changed since, because a row can then be new although no line of the head was touched, or if the cut would
 * hide a row that is not in the reviewed diff.
 */
export const cutToTouched = (
  { file, previous, hunks }: Pick<FileDelta, 'file' | 'previous' | 'hunks'>,
  touched: ReadonlySet<number> | null,
): readonly Hunk[] => {
  const isCut = touched !== null && previous?.oldBlob === file.oldBlob;
  const reviewed = createReviewedRows(previous?.hunks ?? []);
  for (const { hunk, state } of hunks) if (state === 'unchanged') reviewed.take(countRows([hunk]));
  return hunks.flatMap(({ hunk, state }) => {
    if (state === 'unchanged') return [];
    if (state === 'new' || !isCut) return [hunk];
    const parts = cutHunk(hunk, touched, CONTEXT_ROWS);
    return parts.length > 0 && reviewed.take(rowsOutside(hunk, parts)) ? parts : [hunk];
  });
};

/** How often each changed row occurs. */
type RowCounts = ReadonlyMap<string, number>;

const countRows = (hunks: readonly Hunk[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { sign, text } of hunks.flatMap((hunk) => readHunkRows(hunk))) {
    if (sign !== ' ') counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
};

const rowsOutside = (hunk: Hunk, parts: readonly Hunk[]): RowCounts => {
  const shown = countRows(parts);
  return new Map([...countRows([hunk])].map(([text, count]) => [text, count - (shown.get(text) ?? 0)]));
};

/** The changed rows of the reviewed hunks. Each counts for one row of the current diff. */
const createReviewedRows = (hunks: readonly Hunk[]) => {
  const left = countRows(hunks);
  return {
    /** Takes all the rows and returns true, or takes none if some of them were not reviewed. */
    take: (rows: RowCounts): boolean => {
      const wanted = [...rows];
      if (wanted.some(([text, count]) => count > (left.get(text) ?? 0))) return false;
      for (const [text, count] of wanted) left.set(text, (left.get(text) ?? 0) - count);
      return true;
    },
  };
};
