import type { Side } from '../../vocabulary/finding.ts';
import { firstLines, hunkLines } from '../hunk-lines.ts';
import type { DiffFile, Hunk } from '../model.ts';
import type { PositionLine } from './position.ts';

export type PlacedLine = PositionLine & { readonly text: string };

export const numberOn = (line: PositionLine, side: Side): number | null =>
  side === 'new' ? line.newLine : line.oldLine;

/** The counter of a side is its next line; it stays 0 if the file is empty or absent on that side. */
const firstCounters = (hunk: Hunk): { old: number; new: number } => {
  const first = firstLines(hunk);
  return {
    old: hunk.oldStart === 0 && hunk.oldLines === 0 ? 0 : first.old,
    new: hunk.newStart === 0 && hunk.newLines === 0 ? 0 : first.new,
  };
};

export const placeLines = (hunk: Hunk): readonly PlacedLine[] => {
  const counters = firstCounters(hunk);
  return hunkLines(hunk).map((line) => {
    const placed: PlacedLine = {
      kind: line.kind,
      oldLine: line.oldLine,
      newLine: line.newLine,
      lineCodeOld: counters.old,
      lineCodeNew: counters.new,
      text: line.text,
    };
    if (line.kind !== 'added') counters.old++;
    if (line.kind !== 'removed') counters.new++;
    return placed;
  });
};

export const hunksTouching = (file: DiffFile, side: Side, from: number, to: number): readonly Hunk[] =>
  file.hunks.filter((hunk) => {
    const [start, lines] = side === 'new' ? [hunk.newStart, hunk.newLines] : [hunk.oldStart, hunk.oldLines];
    return lines > 0 && start <= to && start + lines > from;
  });

export const toPositionLine = ({ kind, oldLine, newLine, lineCodeOld, lineCodeNew }: PlacedLine): PositionLine => ({
  kind,
  oldLine,
  newLine,
  lineCodeOld,
  lineCodeNew,
});
