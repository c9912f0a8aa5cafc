/**
 * Escapes pipes for a table cell. All renderers of forges keep a pipe in its cell if an odd number of backslashes is before
 * it; they disagree about an even number. A pipe that is escaped already therefore gets no other backslash.
 */
export const escapePipes = (text: string): string =>
  text.replaceAll(/\\[^]?|\|/g, (found) => (found === '|' ? '\\|' : found));

/** Puts the text on one line that cannot end a table cell or a code span. */
export const tableCell = (text: string): string => escapePipes(text).replaceAll('`', "'").replaceAll(/\s+/g, ' ');
