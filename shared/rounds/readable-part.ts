/** Anybody can write a comment, and a Markdown parser can take the square of what it is given: how much it gets. */

/** UTF-16 units. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_LINES = 4_000;
const MAX_BRACKETS = 4_000;
/** Signs of quotes and lists at the start of one line. */
const MAX_DEPTH = 100;

const SIGNS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*/;

const depthOf = (line: string): number => SIGNS.exec(line)?.[0].match(/>|[-+*]|\d+/g)?.length ?? 0;

const bracketsIn = (line: string): number => line.match(/[[\]]/g)?.length ?? 0;

/**
 * The whole text, or so many of its first paragraphs as are within all limits: a paragraph that is cut could take its
 * code for prose. Lines end with `\n`.
 */
export const readablePart = (text: string): string => {
  let [at, lines, brackets, end] = [0, 0, 0, 0];
  for (const line of text.split('\n')) {
    lines += 1;
    brackets += bracketsIn(line);
    const isLong = at + line.length > MAX_CHARACTERS || lines > MAX_LINES;
    if (isLong || brackets > MAX_BRACKETS || depthOf(line) > MAX_DEPTH) return text.slice(0, end);
    at += line.length + 1;
    if (/^[ \t]*$/.test(line)) end = at;
  }
  return text;
};
