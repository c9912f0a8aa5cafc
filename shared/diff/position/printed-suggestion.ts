/** Reads suggestions that contain line numbers, diff signs or a fence of our output. */
const FENCE = /^\s*(?:`{3,}|~{3,})[^`]*$/;
const NUMBERED = /^\s*(?:([+-])\s*)?(\d{1,9})(?:[ ]+(\d{1,9}))? ?(?::|\t|→|[|│] ?)(.*)$/;
const SIGNED = /^([+\- ])(.*)$/;

export type Replaced = {
  /** The number of the first replaced line. */
  readonly startLine: number;
  readonly lines: readonly string[];
};

/**
 * Removes line numbers, diff signs and fences that our output adds to code. A prefix is kept if the replaced lines seem
 * to have the same prefix, because it is then part of the code.
 */
export const plainSuggestion = (suggestion: string, replaced: Replaced): string => {
  const lines = withoutFence(suggestion.split('\n'), replaced);
  return (withoutNumbers(lines, replaced) ?? withoutSigns(lines, replaced) ?? lines).join('\n');
};

const withoutFence = (lines: readonly string[], { lines: own }: Replaced): readonly string[] => {
  const [first, last] = [lines[0] ?? '', lines.at(-1) ?? ''];
  const isFenced = lines.length > 2 && FENCE.test(first) && FENCE.test(last) && !own.some((line) => FENCE.test(line));
  return isFenced ? lines.slice(1, -1) : lines;
};

type Row = { readonly sign: string; readonly number: number; readonly code: string };

const readNumbered = (line: string): Row | null => {
  const [whole, sign = ' ', first, second, code = ''] = NUMBERED.exec(line) ?? [];
  const number = Number(second ?? first ?? 0);
  return whole === undefined || number === 0 ? null : { sign, number, code };
};

/** The numbers must begin at the replaced lines and ascend; otherwise they are part of the code. */
const withoutNumbers = (lines: readonly string[], { startLine, lines: own }: Replaced): readonly string[] | null => {
  const rows = lines.map(readNumbered);
  const kept = rows.flatMap((row) => (row === null || row.sign === '-' ? [] : [row]));
  const begins = kept[0]?.number ?? 0;
  const ascends = kept.every(({ number }, index) => number === begins + index);
  const isPrinted = kept.length > 0 && !rows.includes(null) && ascends && begins >= startLine;
  if (!isPrinted || begins >= startLine + Math.max(1, own.length)) return null;
  return own.some((line) => readNumbered(line) !== null) ? null : kept.map(({ code }) => code);
};

const withoutSigns = (lines: readonly string[], { lines: own }: Replaced): readonly string[] | null => {
  const rows = lines.map((line) => {
    const [whole, sign = '', code = ''] = SIGNED.exec(line) ?? [];
    return whole === undefined ? null : { sign, code };
  });
  const known = rows.flatMap((row) => (row === null ? [] : [row]));
  if (known.length < rows.length || !known.some(({ sign }) => sign === '+')) return null;
  if (own.some((line) => line.startsWith('+'))) return null;
  const quoted = known.filter(({ sign }) => sign !== '+');
  if (!quoted.every(({ code }) => own.includes(code))) return null;
  return known.filter(({ sign }) => sign !== '-').map(({ code }) => code);
};
