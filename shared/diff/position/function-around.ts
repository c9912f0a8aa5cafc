/** Finds the function or class around a line by indentation. The result is approximate but works in any language. */
import type { LineSpan } from './enclosing-block.ts';

const MAX_CHARACTERS = 300;
const MAX_LINES = 400;

const CONTROL =
  /^(?:\}\s{0,9})?(?:if|else|for|foreach|while|switch|match|select|case|catch|except|finally|try|do|with|elif|elsif|when|unless|until|return|throw|raise|default|defer|rescue|ensure|begin|and|or)\b/;
const OPENS = /(?:[{(:[]|=>|->|\bdo|\bthen|\|)$|^(?:def|class|module|function|sub|proc|fn|func)\b/;
const CLOSER = /^(?:[)\]}]+[;,)]*|end|\)\s?\{)$/;

const indentOf = (line: string): number => line.slice(0, MAX_CHARACTERS).replaceAll('\t', '    ').search(/\S|$/);

const startOf = (line: string): string => line.slice(0, MAX_CHARACTERS).trim();

/** The line above with the same indentation: where a heading begins that ends with `) {` or with `{` on a line of its own. */
const beginningOf = (lines: readonly string[], heading: number): number => {
  const text = startOf(lines[heading - 1] ?? '');
  if (!/^[)\]}]/.test(text) && text !== '{') return heading;
  const indent = indentOf(lines[heading - 1] ?? '');
  for (let at = heading - 1; at >= 1 && heading - at <= MAX_LINES; at -= 1) {
    const above = lines[at - 1] ?? '';
    if (startOf(above) !== '' && indentOf(above) <= indent) return indentOf(above) === indent ? at : heading;
  }
  return heading;
};

const lineAt = (lines: readonly string[], line: number): string => lines[line - 1] ?? '';

const isHeading = (text: string): boolean => OPENS.test(text) && !CONTROL.test(text);

/** Null if the line opens no function or class. */
const headingAt = (lines: readonly string[], line: number): number | null => {
  if (!isHeading(startOf(lineAt(lines, line)))) return null;
  const begins = beginningOf(lines, line);
  return CONTROL.test(startOf(lineAt(lines, begins))) ? null : begins;
};

/** The nearest heading above, among lines that are indented less than all lines between. */
const headingAbove = (lines: readonly string[], line: number): number | null => {
  const own = startOf(lineAt(lines, line));
  if (own !== '' && !/^[)\]}]/.test(own)) {
    const here = headingAt(lines, line);
    if (here !== null) return here;
  }
  let indent = own === '' ? Number.POSITIVE_INFINITY : indentOf(lineAt(lines, line));
  for (let at = line - 1; at >= 1 && line - at <= MAX_LINES && indent > 0; at -= 1) {
    const text = lineAt(lines, at);
    if (startOf(text) === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    const heading = headingAt(lines, at);
    if (heading !== null) return heading;
  }
  return null;
};

/** Returns null at the top level, and if no heading is found within 400 lines. */
export const functionAround = (lines: readonly string[], line: number): LineSpan | null => {
  const heading = headingAbove(lines, line);
  if (heading === null) return null;
  const indent = indentOf(lines[heading - 1] ?? '');
  let last = Math.max(heading, line);
  for (let at = heading + 1; at <= lines.length && at - heading <= MAX_LINES; at += 1) {
    const text = lines[at - 1] ?? '';
    if (startOf(text) === '') continue;
    if (indentOf(text) > indent) last = at;
    else if (isPartOfHeading(startOf(text))) last = at;
    else return { startLine: heading, line: CLOSER.test(startOf(text)) ? at : last };
  }
  return { startLine: heading, line: last };
};

/** A line at the indentation of the heading that still belongs to it: `{`, or the end of a list of parameters. */
const isPartOfHeading = (text: string): boolean => text === '{' || (/^[)\]}]/.test(text) && isHeading(text));
