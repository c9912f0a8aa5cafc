export type LinePlaces = readonly (readonly [number, number])[];

/** Longer lines are generated; the line rules do not read them, so that a pattern never sees much text at once. */
const MAX_LINE_CHARS = 2_000;

const isTooLong = (line: string): boolean => line.length > MAX_LINE_CHARS;

export const readable = (line: string): string => (isTooLong(line) ? '' : line);

/** Returns the numbers, counted from 1, of the lines that the line rules do not read. */
export const unreadLines = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line, index) => (isTooLong(line) ? [index + 1] : []));

/** Returns the place of each line for which the test is true. */
export const linesWhere = (lines: readonly string[], test: (line: string) => boolean): LinePlaces =>
  lines.flatMap((line, index) => (test(readable(line)) ? [[index + 1, index + 1] as const] : []));

/** A command that downloads without encryption, or accepts every certificate. */
export const UNPROTECTED =
  /\bhttp:\/\/(?!(?:localhost|127\.0\.0\.1)(?::[\w${}]{1,40})?(?![\w.@:$-]))|\s(?:--insecure|--no-check-certificate|-[fsSLgGiIv]{0,9}k[fsSLgGiIv]{0,9})\s/;
