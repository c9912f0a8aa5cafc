import type { Place } from '../../vocabulary/finding.ts';
import { findFile } from './find-file.ts';
import type { Diff, DiffFile } from '../model.ts';
import type { Position } from './position.ts';
import { hunksTouching, numberOn, placeLines, toPositionLine } from './position-lines.ts';
import { findQuotedRanges } from './quoted-places.ts';

export type AnchorRefusal =
  | 'file_not_in_diff'
  | 'file_has_no_such_side'
  | 'file_has_no_lines'
  | 'combined_diff'
  | 'line_not_in_diff'
  | 'range_not_in_diff';

export type AnchorOptions = {
  /** Code that the finding quotes. It can correct the line numbers, but not the file or the side. */
  readonly quote?: string;
};

export type Anchored =
  | { readonly kind: 'anchored'; readonly position: Position; readonly snapped: boolean }
  | { readonly kind: 'refused'; readonly reason: AnchorRefusal };

/**
 * Returns the exact position of a place, or the reason why there is none. The whole range must be in one hunk. If the
 * quoted code is not at the place but at exactly one other place of that file and side, the position moves there and
 * `snapped` is true. A quote that is missing or ambiguous has no effect.
 */
export const anchor = (diff: Diff, place: Place, options: AnchorOptions = {}): Anchored => {
  const file = findFile(diff, place.path, place.side);
  if (file === null) return refuse(whyNoFile(diff, place));
  if (file.parents > 1) return refuse('combined_diff');
  if (file.hunks.length === 0) return refuse('file_has_no_lines');
  const snapped = options.quote === undefined ? null : snapToQuote(file, place, options.quote);
  const position = findPosition(file, snapped ?? place);
  if (position !== null) return { kind: 'anchored', position, snapped: snapped !== null };
  return refuse(place.startLine === place.line ? 'line_not_in_diff' : 'range_not_in_diff');
};

const refuse = (reason: AnchorRefusal): Anchored => ({ kind: 'refused', reason });

const whyNoFile = (diff: Diff, place: Place): AnchorRefusal =>
  diff.files.some((file) => file.newPath === place.path || file.oldPath === place.path)
    ? 'file_has_no_such_side'
    : 'file_not_in_diff';

const findPosition = (file: DiffFile, { side, startLine, line }: Place): Position | null => {
  // If both ends are in the same hunk, all lines between them are in that hunk, too.
  const [hunk] = hunksTouching(file, side, startLine, line);
  if (hunk === undefined) return null;
  const lines = placeLines(hunk);
  const start = lines.find((candidate) => numberOn(candidate, side) === startLine);
  const end = lines.find((candidate) => numberOn(candidate, side) === line);
  if (start === undefined || end === undefined) return null;
  return {
    oldPath: file.oldPath,
    newPath: file.newPath,
    side,
    start: toPositionLine(start),
    end: toPositionLine(end),
  };
};

/** Returns the place of the quote; null if the original place stays. */
const snapToQuote = (file: DiffFile, place: Place, quote: string): Place | null => {
  const ranges = findQuotedRanges(file, place.side, quote);
  const agrees = ranges.some((range) => range.startLine <= place.line && range.line >= place.startLine);
  const [only] = ranges;
  return agrees || only === undefined || ranges.length > 1 ? null : { ...place, ...only };
};
