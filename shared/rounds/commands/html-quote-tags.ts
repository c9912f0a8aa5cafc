/** HTML tags whose text is code or a quotation. */
const QUOTING = /<(\/?)(blockquote|code|kbd|listing|pre|q|samp|script|style|template|textarea|tt|xmp)(?=[\s/>])/gi;

const COMMENT = /<!--[^]*?(?:-->|$)/g;

export type HtmlQuoteTags = {
  read(html: string): void;
  /** True inside a quoting tag. An unclosed tag extends to the end, as in a browser. */
  isOpen(): boolean;
};

export const createHtmlQuoteTags = (): HtmlQuoteTags => {
  const open = new Map<string, number>();
  return {
    read: (html) => {
      for (const [, slash, tag = ''] of html.replaceAll(COMMENT, '').matchAll(QUOTING)) {
        const name = tag.toLowerCase();
        open.set(name, Math.max(0, (open.get(name) ?? 0) + (slash === '' ? 1 : -1)));
      }
    },
    isOpen: () => [...open.values()].some((count) => count > 0),
  };
};
