/** Finds the function or class around a line by indentation. The result is approximate but works in any language. */
export type LineSpan = { readonly startLine: number; readonly line: number };

/** Expects a line without trailing blanks, because matching them here would take quadratic time. */
const HEADER =
  /\b(?:function|func|fn|def|fun|sub|proc|class|interface|struct|impl|trait|module|method|constructor)\b|=>\s*[{(]?$|\)\s*(?:[\w<>[\],:&.? -]{0,80})\{?$/;
const NO_HEADER = /^\s*(?:if|else|for|while|switch|case|catch|try|do|with|elif|when|unless|until|return|throw)\b/;
const CLOSER = /^(?:[)\]}][)\]};,]*|end)\s*;?$/;

const indentOf = (line: string): number => /^\s*/.exec(line.replaceAll('\t', '    '))?.[0].length ?? 0;

const isBlank = (line: string): boolean => line.trim() === '';

const MAX_LINES = 400;

/** Returns null at the top level, and if no header is found. */
export const enclosingBlock = (lines: readonly string[], line: number): LineSpan | null => {
  const own = lines[line - 1];
  if (own === undefined) return null;
  const header = headerAbove(lines, line);
  if (header === null) return null;
  const indent = indentOf(lines[header - 1] ?? '');
  for (let at = line + 1; at <= lines.length && at - header <= MAX_LINES; at += 1) {
    const text = lines[at - 1] ?? '';
    if (isBlank(text) || indentOf(text) > indent) continue;
    return { startLine: header, line: CLOSER.test(text.trim()) ? at : at - 1 };
  }
  return { startLine: header, line: Math.min(lines.length, header + MAX_LINES) };
};

const headerAbove = (lines: readonly string[], line: number): number | null => {
  if (isHeader(lines[line - 1] ?? '')) return line;
  let indent = isBlank(lines[line - 1] ?? '') ? Number.POSITIVE_INFINITY : indentOf(lines[line - 1] ?? '');
  for (let at = line - 1; at >= 1 && line - at <= MAX_LINES; at -= 1) {
    const text = lines[at - 1] ?? '';
    if (isBlank(text) || indentOf(text) >= indent) continue;
    if (isHeader(text)) return at;
    indent = indentOf(text);
  }
  return null;
};

const isHeader = (text: string): boolean => HEADER.test(text.trimEnd()) && !NO_HEADER.test(text);
