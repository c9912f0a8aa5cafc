/**
 * Limits the text that is given to the Markdown parser. Anyone can write a comment, and parsing can take quadratic time:
 * each opener of a tag, link or code span may make the parser search to the end of the paragraph.
 */
import { createFenceWatch } from './fence-watch.ts';

/** Maximum length of the text in UTF-16 units. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_LINES = 4_000;
/** Limits on the markers of quotes and lists: `MAX_DEPTH` per line, `MAX_SIGNS` in total. */
const MAX_DEPTH = 100;
const MAX_SIGNS = 1_000;
/** Limit on blank lines. Each blank line ends a block, and parsing takes time quadratic in the number of blocks. */
const MAX_BLOCKS = 1_500;
/** Limit on openers times characters, summed over all paragraphs: for example 200 tags in 10,000 characters. */
const MAX_STEPS = 2_000_000;

const SIGNS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*/;
const OPENERS = /[<[\]`]/g;
const BLANK = /^[ \t]*$/;

const signsIn = (line: string): number => SIGNS.exec(line)?.[0].match(/>|[-+*]|\d+/g)?.length ?? 0;

/**
 * Returns the whole text, or as many of its first paragraphs as fit the limits. Paragraphs are never cut, because code in a
 * cut paragraph could look like prose. Lines must end with LF. Lines in a fence only count by their length.
 */
export const boundMarkdown = (text: string): string => {
  const isFenced = createFenceWatch();
  const sum = { at: 0, lines: 0, blocks: 0, signs: 0, steps: 0 };
  let paragraph = { openers: 0, characters: 0 };
  let end = 0;
  for (const line of text.split('\n')) {
    const isCode = isFenced(line);
    const signs = isCode ? 0 : signsIn(line);
    if (!isCode) paragraph = grow(paragraph, line);
    sum.lines += 1;
    sum.signs += signs;
    if (signs > MAX_DEPTH || isTooMuch(sum, paragraph, line)) return text.slice(0, end);
    sum.at += line.length + 1;
    if (!BLANK.test(line)) continue;
    end = sum.at;
    sum.blocks += 1;
    sum.steps += stepsOf(paragraph);
    paragraph = { openers: 0, characters: 0 };
  }
  return text;
};

type Paragraph = { readonly openers: number; readonly characters: number };
type Sum = Readonly<Record<'at' | 'lines' | 'blocks' | 'signs' | 'steps', number>>;

const grow = ({ openers, characters }: Paragraph, line: string): Paragraph => ({
  openers: openers + (line.match(OPENERS)?.length ?? 0),
  characters: characters + line.length + 1,
});

const stepsOf = ({ openers, characters }: Paragraph): number => openers * characters;

const isTooMuch = (sum: Sum, paragraph: Paragraph, line: string): boolean =>
  sum.at + line.length > MAX_CHARACTERS ||
  sum.lines > MAX_LINES ||
  sum.blocks >= MAX_BLOCKS ||
  sum.signs > MAX_SIGNS ||
  sum.steps + stepsOf(paragraph) > MAX_STEPS;
