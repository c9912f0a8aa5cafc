/** A piece of a line as CommonMark parses it: a code span with its backticks, or prose. */
export type LinePiece = { readonly kind: 'code' | 'prose'; readonly text: string };

type Run = { readonly start: number; readonly end: number };

const runsByLength = (line: string): ReadonlyMap<number, readonly number[]> => {
  const runs = new Map<number, number[]>();
  for (const match of line.matchAll(/`+/g)) {
    const starts = runs.get(match[0].length);
    if (starts === undefined) runs.set(match[0].length, [match.index]);
    else starts.push(match.index);
  }
  return runs;
};

/** Finds the next run of the same length after an opener. Call it with increasing openers; a line then takes linear time. */
const createCloserSearch = (line: string): ((opener: Run) => Run | null) => {
  const runs = runsByLength(line);
  const next = new Map<number, number>();
  return (opener) => {
    const length = opener.end - opener.start;
    const starts = runs.get(length) ?? [];
    let index = next.get(length) ?? 0;
    while ((starts[index] ?? Infinity) < opener.end) index += 1;
    next.set(length, index);
    const start = starts[index];
    return start === undefined ? null : { start, end: start + length };
  };
};

const PLAIN = /[^\\`]+/y;
const ESCAPED = /\\[!-/:-@[-`{-~]?/y;
const TICKS = /`+/y;

const matchAt = (pattern: RegExp, line: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? '';
};

/** Unpaired backticks get a backslash; otherwise a renderer would pair them with backticks of a later line and read code as prose. */
export const splitCodeSpans = (line: string): readonly LinePiece[] => {
  if (!line.includes('`')) return [{ kind: 'prose', text: line }];
  const findCloser = createCloserSearch(line);
  const pieces: LinePiece[] = [];
  let prose = '';
  let at = 0;
  while (at < line.length) {
    const literal = matchAt(PLAIN, line, at) || matchAt(ESCAPED, line, at);
    const ticks = literal === '' ? matchAt(TICKS, line, at) : '';
    const closer = ticks === '' ? null : findCloser({ start: at, end: at + ticks.length });
    if (closer === null) {
      prose += literal + '\\`'.repeat(ticks.length);
      at += literal.length + ticks.length;
      continue;
    }
    pieces.push({ kind: 'prose', text: prose }, { kind: 'code', text: line.slice(at, closer.end) });
    prose = '';
    at = closer.end;
  }
  pieces.push({ kind: 'prose', text: prose });
  return pieces;
};
