/**
 * Finds the function or class around a line by indentation. The result is approximate but works in any language. It
 * decides what a reviewer is shown; `enclosing-block.ts` decides whether a change is near a thread. Here, a heading may
 * have several lines and is recognised by the characters at its end that open a block. The function ends with its last
 * line that is not blank.
 */
import { CLOSER, findOutwards, indentOf, textAt, type LineSpan, MAX_BLOCK_LINES } from './indentation.ts';

const MAX_CHARACTERS = 300;

const CONTROL =
  /^(?:\}\s{0,9})?(?:if|else|for|foreach|while|switch|match|select|case|catch|except|finally|try|do|with|elif|elsif|when|unless|until|return|throw|raise|default|defer|rescue|ensure|begin|and|or)\b/;
const OPENS = /(?:[{(:[]|=>|->|\bdo|\bthen|\|)$|^(?:def|class|module|function|sub|proc|fn|func)\b/;

const startOf = (line: string): string => line.slice(0, MAX_CHARACTERS).trim();

/**
 * The first line of a heading that ends with a line such as `) {` or `{`: the next line above with the same
 * indentation.
 */
const beginningOf = (lines: readonly string[], heading: number): number => {
  const text = startOf(textAt(lines, heading));
  if (!/^[)\]}]/.test(text) && text !== '{') return heading;
  const indent = indentOf(textAt(lines, heading));
  for (let at = heading - 1; at >= 1 && heading - at <= MAX_BLOCK_LINES; at -= 1) {
    const above = textAt(lines, at);
    if (startOf(above) !== '' && indentOf(above) <= indent) return indentOf(above) === indent ? at : heading;
  }
  return heading;
};

const isHeading = (text: string): boolean => OPENS.test(text) && !CONTROL.test(text);

/** Null if the line opens no function or class. */
const headingAt = (lines: readonly string[], line: number): number | null => {
  if (!isHeading(startOf(textAt(lines, line)))) return null;
  const begins = beginningOf(lines, line);
  return CONTROL.test(startOf(textAt(lines, begins))) ? null : begins;
};

/** The line itself, or the nearest heading above that is indented less than all lines between. */
const headingAbove = (lines: readonly string[], line: number): number | null => {
  const own = startOf(textAt(lines, line));
  if (own !== '' && !/^[)\]}]/.test(own)) {
    const here = headingAt(lines, line);
    if (here !== null) return here;
  }
  return findOutwards(lines, line, (at) => headingAt(lines, at));
};

/** Returns null at the top level, and if no heading is found within 400 lines. */
export const functionAround = (lines: readonly string[], line: number): LineSpan | null => {
  const heading = headingAbove(lines, line);
  if (heading === null) return null;
  const indent = indentOf(textAt(lines, heading));
  let last = Math.max(heading, line);
  for (let at = heading + 1; at <= lines.length && at - heading <= MAX_BLOCK_LINES; at += 1) {
    const text = textAt(lines, at);
    if (startOf(text) === '') continue;
    if (indentOf(text) > indent) last = at;
    else if (isPartOfHeading(startOf(text))) last = at;
    else return { startLine: heading, line: CLOSER.test(startOf(text)) ? at : last };
  }
  return { startLine: heading, line: last };
};

/**
 * True for a line that has the heading's indentation and still belongs to the heading: `{`, or the end of a list of
 * parameters.
 */
const isPartOfHeading = (text: string): boolean => text === '{' || (/^[)\]}]/.test(text) && isHeading(text));
