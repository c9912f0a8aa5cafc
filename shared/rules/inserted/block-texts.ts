/** The text of a file, and the same text with blanks for strings and comments, so that brackets and operators are code. */
import type { GrepLanguage } from '../model/rule.ts';

export type BlockTexts = {
  readonly raw: string;
  /** As long as `raw`, with the same line ends. The quotes are kept. */
  readonly masked: string;
  /** The place of the first string in the line, counted from 1, or of its end. */
  readonly beforeText: (line: number) => number;
  /** The place of the first character of the line, counted from 0. */
  readonly startOf: (index: number) => number;
};

const QUOTES: Partial<Readonly<Record<GrepLanguage, string>>> = {
  Php: '"\'',
  JavaScript: '"\'`',
  TypeScript: '"\'`',
  Tsx: '"\'`',
  Go: '"`\'',
};

/** The name of an item. */
const INDEX = /\[" {0,60}"\]/g;
const OPENING = /<\?(?:php|=)?/g;

/** Where the code of a page goes on. */
const afterOpening = (raw: string, at: number): number => {
  OPENING.lastIndex = at;
  return OPENING.exec(raw) === null ? raw.length : OPENING.lastIndex;
};

/** The end of the comment, or of the text between two parts of a page, that begins here; null if none does. */
const afterComment = (raw: string, at: number, language: GrepLanguage): number | null => {
  const to = (found: number, length: number): number => (found < 0 ? raw.length : found + length);
  const sign = raw.charAt(at);
  const next = raw.charAt(at + 1);
  if (sign === '/' && next === '/') return to(raw.indexOf('\n', at), 0);
  if (sign === '/' && next === '*') return to(raw.indexOf('*/', at + 2), 2);
  if (language !== 'Php') return null;
  if (sign === '#' && next !== '[') return to(raw.indexOf('\n', at), 0);
  return (sign === '?' && next === '>') || (at === 0 && raw.includes('<?')) ? afterOpening(raw, at) : null;
};

/** The end of the string that begins here; null if none does. */
const afterString = (raw: string, at: number, language: GrepLanguage): number | null => {
  const sign = raw.charAt(at);
  if (sign === '' || !(QUOTES[language] ?? '"\'').includes(sign)) return null;
  // In other languages no string in such quotes goes over several lines.
  const isLong = language === 'Php' || sign === '`';
  for (let end = at + 1; end < raw.length; end += 1) {
    const each = raw.charAt(end);
    if (each === '\\') end += 1;
    else if (each === sign) return end + 1;
    else if (each === '\n' && !isLong) return end;
  }
  return raw.length;
};

const mask = (raw: string, language: GrepLanguage): string => {
  let masked = '';
  for (let at = 0; at < raw.length; ) {
    const end = afterComment(raw, at, language) ?? afterString(raw, at, language);
    if (end === null) {
      masked += raw.charAt(at);
      at += 1;
      continue;
    }
    const blank = raw.slice(at, end).replaceAll(/[^\n]/g, ' ');
    if (/["'`]/.test(raw.charAt(at)) && end - at > 1) masked += `"${blank.slice(1, -1)}"`;
    else masked += raw.startsWith('?>', at) ? `;${blank.slice(1)}` : blank;
    at = end;
  }
  return masked;
};

/** Each file is read once, however many values it has. */
const known = new WeakMap<readonly string[], BlockTexts>();

export const blockTexts = (lines: readonly string[], language: GrepLanguage): BlockTexts => {
  const found = known.get(lines);
  if (found !== undefined) return found;
  const raw = lines.join('\n');
  const masked = mask(raw, language);
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  const texts: BlockTexts = {
    raw,
    masked,
    beforeText: (line) => {
      const start = starts[line - 1] ?? raw.length;
      const text = masked
        .slice(start, start + (lines[line - 1] ?? '').length)
        .replaceAll(INDEX, (index) => ' '.repeat(index.length));
      const quote = text.indexOf('"');
      return start + (quote < 0 ? text.length : quote);
    },
    startOf: (index) => starts[index] ?? raw.length,
  };
  known.set(lines, texts);
  return texts;
};
