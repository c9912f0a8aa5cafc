/** One line that ends neither a cell of a table nor a code span. */
export const tableCell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('`', "'").replaceAll(/\s+/g, ' ');
