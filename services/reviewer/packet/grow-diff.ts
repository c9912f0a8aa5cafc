/** Shows more of the code around a change: the enclosing functions, and the imports of the file. */
import { growHunks, type HeadRange } from '../../../shared/diff/annotate/grow-hunks.ts';
import { firstLines, hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../../shared/diff/model.ts';
import { functionAround } from '../../../shared/diff/position/function-around.ts';
import type { Packet } from './packet.ts';

export type ShownFile = {
  /** The file with the hunks that are shown. */
  readonly file: DiffFile;
  /** The file with all its hunks. */
  readonly whole: DiffFile;
};

/** Of a larger function, only the rows next to the change are shown. */
const MAX_FUNCTION_ROWS = 60;
const ROWS_IN_LARGE_FUNCTION = 12;
const MAX_FILE_BYTES = 4_000;
const MAX_BYTES = 24_000;
/** A diff may grow by this much or by half its size, whichever is more. */
const LEAST_BYTES = 6_000;
/** Lower for a later review, because most of what it shows is not yet in the provider's cache. */
const LEAST_LATER_BYTES = 3_000;
/** Bytes for the sign, two line numbers and the line end. */
const ROW_BYTES = 14;
const MAX_LINE_BYTES = 500;

const IMPORT =
  /^\s{0,8}(?:import|from|use|using|require|require_relative|include|#\s{0,8}(?:include|import)|@import|extern crate|package)\b|^\s{0,8}(?:const|let|var)\s[^=]{0,200}=\s{0,8}require\s{0,8}\(/;
const IMPORT_AREA_LINES = 150;
const MAX_IMPORT_ROWS = 25;

/** An upper estimate of the bytes that the hunks take in the prompt. */
const bytesOf = (hunks: readonly Hunk[]): number =>
  hunks.reduce(
    (sum, { bodyEnd, headerStart, oldLines, newLines }) =>
      sum + bodyEnd - headerStart + (oldLines + newLines) * ROW_BYTES,
    0,
  );

/** Lines of the head next to changed rows; a removed row counts as the line that follows it. */
const changedLines = (hunk: Hunk, lines: number): readonly number[] => {
  let next = firstLines(hunk).new;
  return hunkLines(hunk).flatMap(({ kind, newLine }) => {
    if (newLine !== null) next = newLine + 1;
    if (kind === 'context') return [];
    return [Math.min(lines, newLine ?? next)];
  });
};

/** The functions around the first and the last change of the hunk. */
const functionRange = (hunk: Hunk, head: readonly string[]): HeadRange | null => {
  const changed = changedLines(hunk, head.length);
  const [start, end] = [changed[0], changed.at(-1)];
  if (start === undefined || end === undefined) return null;
  const above = functionAround(head, start);
  const below = start === end ? above : functionAround(head, end);
  if (above === null && below === null) return null;
  const [first, last] = [above?.startLine ?? start, below?.line ?? end];
  if (last - first + 1 <= MAX_FUNCTION_ROWS) return { first, last };
  return {
    first: Math.max(first, start - ROWS_IN_LARGE_FUNCTION),
    last: Math.min(last, end + ROWS_IN_LARGE_FUNCTION),
  };
};

const count = (text: string, brackets: RegExp): number => text.match(brackets)?.length ?? 0;

/** The last line of a statement: where its brackets are closed. */
const endOfStatement = (lines: readonly string[], first: number): number => {
  let open = 0;
  for (let line = first; line <= lines.length; line += 1) {
    const text = (lines[line - 1] ?? '').slice(0, MAX_LINE_BYTES);
    open += count(text, /[({[]/g) - count(text, /[)}\]]/g);
    if (open <= 0) return line;
  }
  return first;
};

/**
 * The lines from the first to the last import at the top of the file. Lines between them are included, because an
 * import may have several lines.
 */
const importRange = (head: readonly string[]): HeadRange | null => {
  const area = head.slice(0, IMPORT_AREA_LINES);
  const first = area.findIndex((line) => IMPORT.test(line)) + 1;
  if (first === 0) return null;
  const last = endOfStatement(area, area.findLastIndex((line) => IMPORT.test(line)) + 1);
  return { first, last: Math.min(last, first + MAX_IMPORT_ROWS - 1) };
};

/** Limits the total of lines that are added, in the order of importance. */
const createAllowance = (head: readonly string[], maxBytes: number) => {
  let left = maxBytes;
  const counted = new Set<number>();
  const costOf = ({ first, last }: HeadRange): number => {
    let bytes = 0;
    for (let line = first; line <= last; line += 1) {
      if (counted.has(line)) continue;
      const own = Buffer.byteLength(head[line - 1] ?? '');
      if (own > MAX_LINE_BYTES) return Number.POSITIVE_INFINITY;
      bytes += own + ROW_BYTES;
    }
    return bytes;
  };
  return {
    /** Lines that are shown anyway do not count. */
    isShown: (line: number): void => void counted.add(line),
    take: (range: HeadRange | null): readonly HeadRange[] => {
      if (range === null) return [];
      const cost = costOf(range);
      if (cost > left) return [];
      left -= cost;
      for (let line = range.first; line <= range.last; line += 1) counted.add(line);
      return [range];
    },
  };
};

const headLines = (text: string): readonly string[] => {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

type FileGrowth = { readonly text: string; readonly maxBytes: number; readonly imports: boolean };

const growFile = ({ file, whole }: ShownFile, { text, maxBytes, imports }: FileGrowth): DiffFile => {
  const head = headLines(text);
  const allowance = createAllowance(head, maxBytes);
  for (const hunk of file.hunks)
    for (const { newLine } of hunkLines(hunk)) if (newLine !== null) allowance.isShown(newLine);
  const wanted = file.hunks.flatMap((hunk) => allowance.take(functionRange(hunk, head)));
  const above = imports ? allowance.take(importRange(head)) : [];
  const hunks = growHunks({ all: whole.hunks, shown: file.hunks, head }, [...above, ...wanted]);
  return hunks === file.hunks ? file : { ...file, hunks };
};

const canGrow = ({ file, whole }: ShownFile, { kinds }: Pick<Packet, 'kinds'>): boolean =>
  (file.status === 'modified' || file.status === 'renamed') &&
  file.hunks.length > 0 &&
  whole.parents === 1 &&
  whole.complete &&
  (kinds.get(file.newPath)?.kind ?? 'no_code') !== 'no_code';

/**
 * Returns the same files in the same order; changed rows and their numbers stay the same. If the input has at most
 * `room` bytes, so has the result: added lines never cause another line to be left out.
 */
export const growDiff = async (
  shown: readonly ShownFile[],
  { packet, room }: { readonly packet: Pick<Packet, 'kinds' | 'headText' | 'delta'>; readonly room: number },
  signal: AbortSignal,
): Promise<readonly DiffFile[]> => {
  const isFirst = packet.delta === null;
  const bytes = bytesOf(shown.flatMap(({ file }) => file.hunks));
  const most = Math.max(isFirst ? LEAST_BYTES : LEAST_LATER_BYTES, Math.floor(bytes / 2));
  let left = Math.min(MAX_BYTES, most, room - bytes);
  const grown: DiffFile[] = [];
  for (const each of shown) {
    signal.throwIfAborted();
    const text = left > 0 && canGrow(each, packet) ? await packet.headText(each.file.newPath) : null;
    const maxBytes = Math.min(MAX_FILE_BYTES, left);
    const file = text === null ? each.file : growFile(each, { text, maxBytes, imports: isFirst });
    left -= Math.max(0, bytesOf(file.hunks) - bytesOf(each.file.hunks));
    grown.push(file);
  }
  return grown;
};
