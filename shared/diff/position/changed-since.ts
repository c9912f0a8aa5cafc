import { firstLines, hunkLines } from '../hunk-lines.ts';
import type { Diff, Hunk } from '../model.ts';
import type { LineSpan } from './indentation.ts';

/** True if the lines differ from the earlier state: some were added, or lines between two of them were removed. */
export type ChangedSince = (path: string, span: LineSpan) => boolean;

/** Lines of the later state; from `line` to the line after it if lines between them were removed. */
type Spot = { readonly line: number; readonly isGap: boolean };

/**
 * Tells changed lines of the later state of `between` from those that were there before. Lines of a file whose changes
 * cannot be read count as changed.
 */
export const createChangedSince = (between: Diff): ChangedSince => {
  const known = new Map<string, readonly Spot[] | null>();
  const spotsIn = (path: string): readonly Spot[] | null => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const file = between.files.find(({ newPath, status }) => newPath === path && status !== 'deleted');
    const isReadable = file === undefined || (file.complete && !file.binary && file.parents === 1);
    const spots = isReadable ? (file?.hunks ?? []).flatMap(spotsOf) : null;
    known.set(path, spots);
    return spots;
  };
  return (path, span) => spotsIn(path)?.some((spot) => isWithin(spot, span)) ?? true;
};

const spotsOf = (hunk: Hunk): readonly Spot[] => {
  let next = firstLines(hunk).new;
  return hunkLines(hunk).flatMap(({ kind, newLine }): Spot[] => {
    next = newLine === null ? next : newLine + 1;
    if (kind === 'context') return [];
    return kind === 'added' ? [{ line: next - 1, isGap: false }] : [{ line: next - 1, isGap: true }];
  });
};

const isWithin = ({ line, isGap }: Spot, span: LineSpan): boolean =>
  line >= span.startLine && (isGap ? line < span.line : line <= span.line);
