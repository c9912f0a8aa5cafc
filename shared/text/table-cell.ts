/** Puts the text on one line that cannot end a table cell or a code span. */
export const tableCell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('`', "'").replaceAll(/\s+/g, ' ');
