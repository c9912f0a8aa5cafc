/** Adds unchanged lines of the head to the hunks that a model is shown. Rows of the hunks and their numbers stay the same. */
import { firstLines, hunkLines } from '../hunk-lines.ts';
import type { Hunk } from '../model.ts';

/** Lines of the new side, both inclusive. */
export type HeadRange = { readonly first: number; readonly last: number };

export type Growing = {
  /** All hunks of the file. Lines of a hunk that is not shown are never added, because they are not unchanged lines. */
  readonly all: readonly Hunk[];
  /** Hunks of `all`, or parts of them. */
  readonly shown: readonly Hunk[];
  /** The lines of the file at the head. */
  readonly head: readonly string[];
};

/** Places on both sides; the ends are exclusive. `hunk` is null for unchanged lines. */
type Piece = {
  readonly new: number;
  readonly newEnd: number;
  readonly old: number;
  readonly oldEnd: number;
  readonly hunk: Hunk | null;
};

/**
 * Unchanged lines: from `from` (inclusive) to `to` (exclusive) on the new side. On the old side, their numbers are
 * higher by `shift`.
 */
type Gap = { readonly from: number; readonly to: number; readonly shift: number };

/** A gap of at most this many lines is filled, because the header of a new hunk would cost as much. */
const BRIDGED_LINES = 3;

const pieceOf = (hunk: Hunk): Piece => {
  const { old, new: own } = firstLines(hunk);
  return { new: own, newEnd: own + hunk.newLines, old, oldEnd: old + hunk.oldLines, hunk };
};

const inOrder = (one: Piece, other: Piece): number => one.new - other.new || one.old - other.old;

/** Null if the numbers of the hunks contradict each other or the text. */
const gapsOf = (all: readonly Piece[], lines: number): readonly Gap[] | null => {
  const gaps: Gap[] = [];
  let [from, shift] = [1, 0];
  for (const piece of all) {
    if (piece.new < from || piece.old - piece.new !== shift) return null;
    gaps.push({ from, to: piece.new, shift });
    from = piece.newEnd;
    shift = piece.oldEnd - piece.newEnd;
  }
  return from > lines + 1 ? null : [...gaps, { from, to: lines + 1, shift }];
};

/** False if the text differs from the text that git compared, for example because it was decoded. */
const isTextOf = (hunk: Hunk, head: readonly string[]): boolean =>
  hunk.parents === 1 && hunkLines(hunk).every(({ newLine, text }) => newLine === null || head[newLine - 1] === text);

type Interval = { readonly from: number; readonly to: number };

/** Sorted and without overlaps. An empty interval marks the edge of a shown hunk, so that a narrow gap beside it is filled. */
const joined = (intervals: readonly Interval[]): readonly Interval[] => {
  const result: Interval[] = [];
  for (const next of intervals.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    const last = result.at(-1);
    if (last === undefined || next.from - last.to > BRIDGED_LINES) result.push(next);
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, next.to) };
  }
  return result.filter(({ from, to }) => from < to);
};

const contextIn = (gap: Gap, wanted: readonly HeadRange[], shown: readonly Piece[]): readonly Piece[] => {
  const { from, to, shift } = gap;
  const inside = wanted
    .map(({ first, last }) => ({ from: Math.max(from, first), to: Math.min(to, last + 1) }))
    .filter((each) => each.from < each.to);
  if (inside.length === 0) return [];
  const isBefore = shown.some(({ newEnd, oldEnd }) => newEnd === from && oldEnd === from + shift);
  const isBehind = shown.some((piece) => piece.new === to && piece.old === to + shift);
  const edges = [...(isBefore ? [{ from, to: from }] : []), ...(isBehind ? [{ from: to, to }] : [])];
  return joined([...inside, ...edges]).map((each) => ({
    new: each.from,
    newEnd: each.to,
    old: each.from + shift,
    oldEnd: each.to + shift,
    hunk: null,
  }));
};

const bodyOf = ({ hunk, new: first, newEnd }: Piece, head: readonly string[]): Buffer =>
  hunk === null
    ? Buffer.from(
        head
          .slice(first - 1, newEnd - 1)
          .map((line) => ` ${line}\n`)
          .join(''),
      )
    : hunk.source.subarray(hunk.bodyStart, hunk.bodyEnd);

/** The heading quotes a line above the hunk. It is dropped if that line is now a row of the hunk. */
const sectionOf = (pieces: readonly Piece[], head: readonly string[]): string => {
  const section = pieces.find(({ hunk }) => hunk !== null)?.hunk?.section ?? '';
  const [first] = pieces;
  if (first === undefined || first.hunk !== null || section === '') return section;
  const added = head.slice(first.new - 1, first.newEnd - 1);
  return added.some((line) => line.startsWith(section)) ? '' : section;
};

const rangeOf = (first: number, count: number): string => `${count === 0 ? first - 1 : first},${count}`;

const hunkOf = (pieces: readonly Piece[], head: readonly string[]): Hunk | null => {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (pieces.length === 1 && first.hunk !== null) return first.hunk;
  const [oldLines, newLines] = [last.oldEnd - first.old, last.newEnd - first.new];
  const section = sectionOf(pieces, head);
  const ranges = `-${rangeOf(first.old, oldLines)} +${rangeOf(first.new, newLines)}`;
  const header = Buffer.from(`@@ ${ranges} @@${section === '' ? '' : ` ${section}`}\n`);
  const source = Buffer.concat([header, ...pieces.map((piece) => bodyOf(piece, head))]);
  return {
    oldStart: oldLines === 0 ? first.old - 1 : first.old,
    oldLines,
    newStart: newLines === 0 ? first.new - 1 : first.new,
    newLines,
    section,
    source,
    headerStart: 0,
    bodyStart: header.length,
    bodyEnd: source.length,
    parents: 1,
  };
};

const touching = (pieces: readonly Piece[]): readonly (readonly Piece[])[] => {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1)?.at(-1);
    if (last?.newEnd === piece.new && last.oldEnd === piece.old) groups.at(-1)?.push(piece);
    else groups.push([piece]);
  }
  return groups;
};

/**
 * Returns the shown hunks, and adds the wanted lines that the change leaves unchanged, as context rows. Hunks that then
 * touch are joined. Wanted lines that touch no hunk become a hunk without changes. If the text differs from the text
 * that git compared, the hunks are returned unchanged.
 */
export const growHunks = ({ all, shown, head }: Growing, wanted: readonly HeadRange[]): readonly Hunk[] => {
  if (wanted.length === 0 || !shown.every((hunk) => isTextOf(hunk, head))) return shown;
  const gaps = gapsOf(all.map(pieceOf).toSorted(inOrder), head.length);
  if (gaps === null) return shown;
  const pieces = shown.map(pieceOf);
  const context = gaps.flatMap((gap) => contextIn(gap, wanted, pieces));
  return touching([...pieces, ...context].toSorted(inOrder)).flatMap((group) => hunkOf(group, head) ?? []);
};
