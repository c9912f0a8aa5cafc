/** White space and line ends become one blank: what a quotation most often loses. */
export const collapseBlanks = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
