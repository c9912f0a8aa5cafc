/** Reads quotations that contain line numbers, diff signs or fences of our output. Each possible reading is compared with the file. */

/** Matches `+12:code`, `+ 12:code` and ` 11 12:code` of the annotated diff, and `8<tab>code` of the Read tool. */
const NUMBERED = /^\s*(?:[+-]\s*)?\d{1,9}(?:[ ]+\d{1,9})?(?: ?:|\t|→|\s*[|│])/;
const SIGNED = /^[+\- ]/;
const FENCE = /^\s*(`{3,}|~{3,})[^`]*$/;
/** Matches lines of a diff that are not code. */
const NO_CODE = /^(?:@@ .*|\\ No newline at end of file)$/;

const linesOf = (text: string): readonly string[] => text.replaceAll('\r\n', '\n').split('\n');

const isBlank = (line: string): boolean => line.trim() === '';

/** Returns the content if the text is a single code span; null for any other text. */
const withoutTicks = (text: string): string | null => {
  const ticks = /^`+/.exec(text)?.[0].length ?? 0;
  const isSpan = ticks > 0 && text.endsWith('`'.repeat(ticks));
  return isSpan ? text.slice(ticks, -ticks) : null;
};

const withoutFence = (text: string): string => {
  const lines = linesOf(text.trim());
  const [first = '', last = ''] = [lines[0], lines.at(-1)];
  if (FENCE.test(first) && FENCE.test(last)) return lines.slice(1, -1).join('\n');
  return withoutTicks(text.trim()) ?? text;
};

/** Returns null if a line lacks the prefix. */
const stripped = (lines: readonly string[], prefix: RegExp): string | null => {
  const code = lines.filter((line) => !isBlank(line));
  if (!code.every((line) => prefix.test(line))) return null;
  return lines.map((line) => line.replace(prefix, '')).join('\n');
};

/** Splits a diff into its two sides, because a file contains only the lines of one side. */
const sidesOf = (lines: readonly string[]): readonly (readonly string[])[] => {
  const without = (sign: '+' | '-') => lines.filter((line) => !line.trimStart().startsWith(sign));
  const [added, removed] = [without('-'), without('+')];
  return added.length === lines.length || removed.length === lines.length ? [lines] : [added, removed];
};

/** Returns all readings without duplicates, the unchanged text first. */
export const readQuotation = (text: string): readonly string[] => {
  const plain = withoutFence(text);
  const lines = linesOf(plain).filter((line) => !NO_CODE.test(line));
  const cut = sidesOf(lines).flatMap((side) => [stripped(side, NUMBERED), stripped(side, SIGNED)]);
  const readings = [text, plain, ...cut.filter((reading) => reading !== null)];
  return [...new Set(readings.filter((reading, index) => index === 0 || !isBlank(reading)))];
};
