/** Finds the blocks of a file by their indentation, in any language. */
export type LineSpan = { readonly startLine: number; readonly line: number };

/** Maximum distance, in lines, in which the block of a line is searched for. */
export const MAX_BLOCK_LINES = 400;

/** A trimmed line that only closes a block. */
export const CLOSER = /^(?:[)\]}][)\]};,]*|end)\s*;?$/;

export const isBlank = (text: string): boolean => !/\S/.test(text);

/** In columns; a tab counts as four. */
export const indentOf = (text: string): number => (/^\s*/.exec(text)?.[0] ?? '').replaceAll('\t', '    ').length;

export const textAt = (lines: readonly string[], line: number): string => lines[line - 1] ?? '';

/**
 * Visits the lines above that are indented less than all lines between, nearest first. Returns the first answer that is
 * not null.
 */
export const findOutwards = (
  lines: readonly string[],
  line: number,
  answer: (outer: number) => number | null,
): number | null => {
  const own = textAt(lines, line);
  let indent = isBlank(own) ? Number.POSITIVE_INFINITY : indentOf(own);
  for (let at = line - 1; at >= 1 && line - at <= MAX_BLOCK_LINES && indent > 0; at -= 1) {
    const text = textAt(lines, at);
    if (isBlank(text) || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    const found = answer(at);
    if (found !== null) return found;
  }
  return null;
};
