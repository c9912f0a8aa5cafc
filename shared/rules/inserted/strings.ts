/**
 * Reads the string literals of an expression, without a parser: their text, and the expressions that are inserted into
 * them.
 */
import type { GrepLanguage } from '../model/rule.ts';

/** A piece of a string: its text, or an expression whose value is inserted. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'inserted'; readonly code: string };

export type ReadString = {
  /** Offset after the closing quote. */
  readonly end: number;
  readonly pieces: readonly Piece[];
};

type Insertion = 'none' | 'dollar_brace' | 'hash_brace' | 'brace' | 'dollar';

type Quote = {
  /** Matches the prefix and the opening quote of a string. */
  readonly open: RegExp;
  readonly close: string;
  readonly inserts: Insertion;
  readonly escapes: boolean;
};

const quote = (open: RegExp, close: string, inserts: Insertion = 'none', escapes = true): Quote => ({
  open,
  close,
  inserts,
  escapes,
});

const DOUBLE = quote(/"/y, '"');
const SINGLE = quote(/'/y, "'");

const JAVASCRIPT = [DOUBLE, SINGLE, quote(/`/y, '`', 'dollar_brace')];

/** The first entry that matches is used. */
const QUOTES: Readonly<Record<GrepLanguage, readonly Quote[]>> = {
  JavaScript: JAVASCRIPT,
  TypeScript: JAVASCRIPT,
  Tsx: JAVASCRIPT,
  Python: [
    quote(/[rR]?[fF][rR]?"""/y, '"""', 'brace'),
    quote(/[rR]?[fF][rR]?'''/y, "'''", 'brace'),
    quote(/[rR]?[fF][rR]?"/y, '"', 'brace'),
    quote(/[rR]?[fF][rR]?'/y, "'", 'brace'),
    quote(/[a-zA-Z]{0,2}"""/y, '"""'),
    quote(/[a-zA-Z]{0,2}'''/y, "'''"),
    quote(/[a-zA-Z]{0,2}"/y, '"'),
    quote(/[a-zA-Z]{0,2}'/y, "'"),
  ],
  Go: [DOUBLE, quote(/`/y, '`', 'none', false)],
  Java: [quote(/"""/y, '"""'), DOUBLE, SINGLE],
  Ruby: [quote(/"/y, '"', 'hash_brace'), SINGLE, quote(/`/y, '`', 'hash_brace')],
  Php: [quote(/"/y, '"', 'dollar'), SINGLE, quote(/`/y, '`', 'dollar')],
  Bash: [quote(/"/y, '"', 'dollar'), quote(/'/y, "'", 'none', false)],
  CSharp: [
    quote(/\$"/y, '"', 'brace'),
    quote(/(?:\$@|@\$)"/y, '"', 'brace', false),
    quote(/@"/y, '"', 'none', false),
    DOUBLE,
    SINGLE,
  ],
  Rust: [quote(/r"/y, '"', 'none', false), quote(/b?"/y, '"')],
  C: [DOUBLE, SINGLE],
  Cpp: [DOUBLE, SINGLE],
  Kotlin: [quote(/"""/y, '"""', 'dollar', false), quote(/"/y, '"', 'dollar'), SINGLE],
  Yaml: [DOUBLE, SINGLE],
};

const OPENING: Readonly<Record<Exclude<Insertion, 'none' | 'dollar'>, string>> = {
  dollar_brace: '${',
  hash_brace: '#{',
  brace: '{',
};

/** The offset after the brace that closes the one before `from`. */
const closing = (code: string, from: number): number => {
  let depth = 1;
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '{') depth += 1;
    else if (code[at] === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
};

/** A variable of PHP or a shell within a string, with a property or index. */
const VARIABLE = /\$\w{1,99}(?:->\w{1,99}|\[[^\]\n]{0,99}\])?/y;

type Found = { readonly code: string; readonly end: number };

const insertedAt = (code: string, at: number, inserts: Insertion): Found | null => {
  if (inserts === 'none') return null;
  if (inserts === 'dollar') {
    const braced = code.startsWith('${', at) || code.startsWith('{$', at);
    if (braced) {
      const end = closing(code, at + (code[at] === '{' ? 1 : 2));
      return { code: code.slice(at, end).replace(/^\$?\{|\}$/g, ''), end };
    }
    VARIABLE.lastIndex = at;
    const [name] = VARIABLE.exec(code) ?? [];
    return name === undefined ? null : { code: name, end: at + name.length };
  }
  const open = OPENING[inserts];
  if (!code.startsWith(open, at)) return null;
  const end = closing(code, at + open.length);
  return { code: code.slice(at + open.length, end - 1), end };
};

/**
 * Reads the string that begins at the offset; null if none does. A string without a closing quote extends to the end of
 * the code.
 */
export const readString = (code: string, at: number, language: GrepLanguage): ReadString | null => {
  for (const { open, close, inserts, escapes } of QUOTES[language]) {
    open.lastIndex = at;
    const [opened] = open.exec(code) ?? [];
    if (opened === undefined) continue;
    const read = readPieces(code, at + opened.length, { close, inserts, escapes });
    return language === 'Kotlin' ? { ...read, pieces: read.pieces.map(withoutMark) } : read;
  }
  return null;
};

/** Kotlin writes `$` before a name in a string, of which it is no part. */
const withoutMark = (piece: Piece): Piece =>
  piece.kind === 'inserted' ? { ...piece, code: piece.code.replace(/^\$/, '') } : piece;

const readPieces = (code: string, from: number, { close, inserts, escapes }: Omit<Quote, 'open'>): ReadString => {
  const pieces: Piece[] = [];
  let text = '';
  let at = from;
  while (at < code.length && !code.startsWith(close, at)) {
    if (escapes && code[at] === '\\') {
      text += code.slice(at, at + 2);
      at += 2;
    } else if (inserts === 'brace' && (code.startsWith('{{', at) || code.startsWith('}}', at))) {
      text += code.slice(at, at + 1);
      at += 2;
    } else {
      const found = insertedAt(code, at, inserts);
      if (found === null) {
        text += code.slice(at, at + 1);
        at += 1;
        continue;
      }
      pieces.push({ kind: 'text', text }, { kind: 'inserted', code: found.code });
      text = '';
      at = found.end;
    }
  }
  return { end: Math.min(code.length, at + close.length), pieces: [...pieces, { kind: 'text', text }] };
};

/** Splits at each separator outside strings and brackets. */
export const splitOutside = (code: string, separator: string, language: GrepLanguage): readonly string[] => {
  const found: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < code.length; ) {
    const string = readString(code, at, language);
    if (string !== null) {
      at = string.end;
      continue;
    }
    const sign = code.charAt(at);
    if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) depth -= 1;
    else if (depth === 0 && code.startsWith(separator, at)) {
      found.push(code.slice(from, at));
      from = at + separator.length;
      at = from;
      continue;
    }
    at += 1;
  }
  return [...found, code.slice(from)];
};
