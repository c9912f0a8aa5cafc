/**
 * Keeps the line ends and the byte order mark of a file that a model changes. Read does not show them, so the model
 * writes line feeds only.
 */
const BYTE_ORDER_MARK = '\ufeff';

const hasMark = (text: string): boolean => text.startsWith(BYTE_ORDER_MARK);

const withoutMark = (text: string): string => (hasMark(text) ? text.slice(BYTE_ORDER_MARK.length) : text);

/** The text as a model sees and writes it: with line feeds only, without a byte order mark. */
export const asSeen = (text: string): string => withoutMark(text).replaceAll('\r\n', '\n');

/** @param after what the model wrote, in the form of `asSeen`. A file with mixed ends keeps those of its unchanged lines. */
export const withEndsOf = (before: string, after: string): string => {
  const mark = hasMark(before) ? BYTE_ORDER_MARK : '';
  return mark + (before.includes('\r\n') ? withEnds(linesOf(withoutMark(before)), after.split('\n')) : after);
};

type End = '\r\n' | '\n';
type Line = { readonly text: string; readonly end: End };

/** The last line has no end in the file; if lines are added after it, it gets the end of the line above. */
const linesOf = (text: string): readonly Line[] => {
  const lines: Line[] = [];
  const all = text.split('\n');
  for (const line of all.slice(0, -1)) {
    lines.push(line.endsWith('\r') ? { text: line.slice(0, -1), end: '\r\n' } : { text: line, end: '\n' });
  }
  return [...lines, { text: all.at(-1) ?? '', end: lines.at(-1)?.end ?? '\n' }];
};

/** Numbers of equal lines at the start and at the end. */
const equalLines = (
  before: readonly Line[],
  after: readonly string[],
): { readonly head: number; readonly tail: number } => {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head]?.text === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail)?.text === after.at(-1 - tail)) tail += 1;
  return { head, tail };
};

/** Between the equal lines, a line that was moved keeps its end, and a new line gets the end of the line above it. */
const endsBetween = (replaced: readonly Line[], added: readonly string[], above: End): readonly End[] => {
  if (replaced.length === added.length) return replaced.map(({ end }) => end);
  const known = new Map(replaced.map(({ text, end }) => [text, end]));
  const ends: End[] = [];
  for (const text of added) ends.push(known.get(text) ?? ends.at(-1) ?? replaced[0]?.end ?? above);
  return ends;
};

const withEnds = (before: readonly Line[], after: readonly string[]): string => {
  const { head, tail } = equalLines(before, after);
  const rest = before.length - tail;
  const above = (before[head - 1] ?? before[head])?.end ?? '\n';
  const ends = [
    ...before.slice(0, head).map(({ end }) => end),
    ...endsBetween(before.slice(head, rest), after.slice(head, after.length - tail), above),
    ...before.slice(rest).map(({ end }) => end),
  ];
  return after.map((text, index) => (index === after.length - 1 ? text : `${text}${ends[index] ?? above}`)).join('');
};
