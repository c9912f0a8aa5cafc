/** Reduces white space to single spaces, because quotations often differ from the source only in white space. */
export const collapseBlanks = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
