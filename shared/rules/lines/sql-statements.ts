import { readable } from './line-matches.ts';

export type SqlStatement = {
  readonly startLine: number;
  readonly endLine: number;
  /** The text without comments and with blanks for line ends; string literals are kept. At most 20,000 characters. */
  readonly text: string;
};

const MAX_CHARS = 20_000;

const withoutComment = (line: string): string => line.replace(/(?:^|\s)--.*$/, '');

/** Splits at `;` and at `GO` lines, outside of `'…'`, `$$…$$` and block comments, as far as lines tell. */
export const sqlStatements = (lines: readonly string[]): readonly SqlStatement[] => {
  const found: SqlStatement[] = [];
  const state = { quote: '', text: '', start: 0 };
  const close = (endLine: number): void => {
    if (state.text.trim() !== '') found.push({ startLine: state.start, endLine, text: state.text.trim() });
    state.text = '';
  };
  for (const [index, whole] of lines.entries()) {
    if (state.quote === '' && /^\s*GO\s*$/i.test(whole)) {
      close(index);
      continue;
    }
    const line = state.quote === '' ? withoutComment(readable(whole)) : readable(whole);
    if (state.text.trim() === '') {
      state.text = '';
      state.start = index + 1;
    }
    for (const part of line.split(/('|\$\w{0,30}\$|\/\*|\*\/|;)/)) {
      const isComment = state.quote === '/*' || part === '/*' || part === '*/';
      if (part === ';' && state.quote === '') close(index + 1);
      else if (!isComment && state.text.length < MAX_CHARS) state.text += part;
      state.quote = quoteAfter(part, state.quote);
      if (state.text.trim() === '') state.start = index + 1;
    }
    state.text += ' ';
  }
  close(lines.length);
  return found;
};

const quoteAfter = (part: string, quote: string): string => {
  if (quote === '/*') return part === '*/' ? '' : quote;
  if (quote !== '') return part === quote ? '' : quote;
  return part === "'" || part === '/*' || /^\$\w*\$$/.test(part) ? part : '';
};
