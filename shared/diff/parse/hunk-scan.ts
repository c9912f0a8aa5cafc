/** Counters of the current hunk. One object is reused for all hunks. */
export type HunkProgress = {
  oldLeft: number;
  newLeft: number;
  added: number;
  removed: number;
  /** First byte of the previous line, which is needed to validate a `\ No newline` marker after it. */
  last: number;
  /** Position at which the next line starts. */
  pos: number;
  /** Number of lines read by the last call, including markers. */
  rows: number;
};

export type HunkOutcome = 'done' | 'cut_off' | 'bad_line' | 'too_many' | 'bad_marker';

export const LF = 10;
const BLANK = 32;
const PLUS = 43;
const MINUS = 45;
const BACKSLASH = 92;
/** git requires this length, because the text after the backslash can be translated. */
const MIN_MARKER_BYTES = 12;

/**
 * Counts the lines of a hunk. The hunk ends only when its counters reach zero, whatever a line looks like. This loop
 * runs often, so it allocates nothing per line.
 */
export const scanHunk = (bytes: Buffer, progress: HunkProgress): HunkOutcome => {
  let { oldLeft, newLeft, added, removed, last, pos } = progress;
  let rows = 0;
  let outcome: HunkOutcome = 'done';
  while (oldLeft > 0 || newLeft > 0) {
    const lineEnd = bytes.indexOf(LF, pos);
    if (lineEnd === -1) {
      outcome = 'cut_off';
      break;
    }
    const sign = bytes[pos] ?? 0;
    if (sign === PLUS) {
      newLeft--;
      added++;
    } else if (sign === MINUS) {
      oldLeft--;
      removed++;
    } else if (sign === BLANK || sign === LF) {
      oldLeft--;
      newLeft--;
    } else {
      outcome = classifyOddLine(bytes, pos, lineEnd, { last, oldLeft, newLeft });
      if (outcome !== 'done') break;
    }
    last = sign;
    pos = lineEnd + 1;
    rows++;
  }
  if (oldLeft < 0 || newLeft < 0) outcome = 'too_many';
  progress.oldLeft = oldLeft;
  progress.newLeft = newLeft;
  progress.added = added;
  progress.removed = removed;
  progress.last = last;
  progress.pos = pos;
  progress.rows = rows;
  return outcome;
};

type Around = { readonly last: number; readonly oldLeft: number; readonly newLeft: number };

const classifyOddLine = (bytes: Buffer, pos: number, lineEnd: number, around: Around): HunkOutcome => {
  if (!isNoNewlineMarker(bytes, pos, lineEnd)) return 'bad_line';
  return markerFits(around) ? 'done' : 'bad_marker';
};

export const isNoNewlineMarker = (bytes: Buffer, pos: number, lineEnd: number): boolean =>
  bytes[pos] === BACKSLASH && bytes[pos + 1] === BLANK && lineEnd - pos + 1 >= MIN_MARKER_BYTES;

/**
 * A line without a newline is the last line of its side, so no lines may be left on that side. An unchanged line is the
 * last line of at least one side: with `-w`, the other side may have a newline there, and more lines.
 */
export const markerFits = ({ last, oldLeft, newLeft }: Around): boolean => {
  if (last === MINUS) return oldLeft === 0;
  if (last === PLUS) return newLeft === 0;
  return (last === BLANK || last === LF) && (oldLeft === 0 || newLeft === 0);
};
