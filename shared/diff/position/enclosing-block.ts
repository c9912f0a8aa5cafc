/**
 * Finds the function or class around a line by indentation. The result is approximate but works in any language. It
 * decides whether a change is near a thread; `function-around.ts` decides what a reviewer is shown. Here, a header is
 * one line with a keyword or a list of parameters, and a block includes the blank lines after it.
 */
import { CLOSER, findOutwards, indentOf, isBlank, textAt, type LineSpan, MAX_BLOCK_LINES } from './indentation.ts';

/** Expects a line without trailing blanks, because matching them here would take quadratic time. */
const HEADER =
  /\b(?:function|func|fn|def|fun|sub|proc|class|interface|struct|impl|trait|module|method|constructor)\b|=>\s*[{(]?$|\)\s*(?:[\w<>[\],:&.? -]{0,80})\{?$/;
const NO_HEADER = /^\s*(?:if|else|for|while|switch|case|catch|try|do|with|elif|when|unless|until|return|throw)\b/;

/** Returns null at the top level, and if no header is found. */
export const enclosingBlock = (lines: readonly string[], line: number): LineSpan | null => {
  const own = lines[line - 1];
  if (own === undefined) return null;
  const headerAt = (at: number): number | null => (isHeader(textAt(lines, at)) ? at : null);
  const header = headerAt(line) ?? findOutwards(lines, line, headerAt);
  if (header === null) return null;
  const indent = indentOf(textAt(lines, header));
  for (let at = line + 1; at <= lines.length && at - header <= MAX_BLOCK_LINES; at += 1) {
    const text = textAt(lines, at);
    if (isBlank(text) || indentOf(text) > indent) continue;
    return { startLine: header, line: CLOSER.test(text.trim()) ? at : at - 1 };
  }
  return { startLine: header, line: Math.min(lines.length, header + MAX_BLOCK_LINES) };
};

const isHeader = (text: string): boolean => HEADER.test(text.trimEnd()) && !NO_HEADER.test(text);
