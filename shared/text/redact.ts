import { exactForms, foldedForms, foldSecret } from './secret-forms.ts';
import { findTokens, type TextRange } from './token-formats.ts';
import { dropHidden, hasHidden } from './visible.ts';

export type Redacted = { readonly text: string; readonly count: number };

/** Replaces secrets; `count` is the number of replacements. Idempotent; linear in the text. */
export type Redactor = (text: string) => Redacted;

export const REDACTED = '[redacted]';

/** `origin`: the index in the original text of each remaining character. */
type Projection = { readonly text: string; readonly origin: Uint32Array };

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** Returns letters and digits in lower case. The text is Latin-1, because 16-bit strings are slow to build. */
const fold = (text: string): string => {
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!isAlphanumeric(code)) continue;
    bytes[length] = code >= 65 && code <= 90 ? code + 32 : code;
    length += 1;
  }
  return bytes.toString('latin1', 0, length);
};

/** Positions of the characters that `fold` keeps. Computed only for a text with a secret, because nearly no text has one. */
const originOfFolded = (text: string): Uint32Array => {
  const origin = new Uint32Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (!isAlphanumeric(text.charCodeAt(index))) continue;
    origin[length] = index;
    length += 1;
  }
  return origin;
};

const withoutHidden = (text: string): Projection => {
  const kept: string[] = [];
  const origin = new Uint32Array(text.length);
  let length = 0;
  let index = 0;
  for (const character of text) {
    if (!hasHidden(character)) {
      kept.push(character);
      for (let unit = 0; unit < character.length; unit += 1) origin[length + unit] = index + unit;
      length += character.length;
    }
    index += character.length;
  }
  return { text: kept.join(''), origin };
};

const findAll = (text: string, needle: string): TextRange[] => {
  const found: TextRange[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
    found.push({ start: at, end: at + needle.length });
  }
  return found;
};

const toOrigin = (projection: Projection, range: TextRange): TextRange => ({
  start: projection.origin[range.start] ?? 0,
  end: (projection.origin[range.end - 1] ?? 0) + 1,
});

/** Searches the text without hidden characters; otherwise one zero-width space would hide a secret of any format. */
const findFormats = (text: string): readonly TextRange[] => {
  if (dropHidden(text).length === text.length) return findTokens(text);
  const projection = withoutHidden(text);
  return findTokens(projection.text).map((range) => toOrigin(projection, range));
};

const replaceRanges = (text: string, ranges: readonly TextRange[]): Redacted => {
  const pieces: string[] = [];
  let done = 0;
  let count = 0;
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (range.start >= done) {
      pieces.push(text.slice(done, range.start), REDACTED);
      count += 1;
    }
    done = Math.max(done, range.end);
  }
  pieces.push(text.slice(done));
  return { text: pieces.join(''), count };
};

/** Finds the secrets in every shape of `secret-forms.ts`. */
const createFind = (secrets: readonly string[]): ((text: string) => readonly TextRange[]) => {
  const folded = foldedForms(secrets, foldSecret(REDACTED));
  const exact = exactForms(secrets, REDACTED);
  return (text) => {
    const ranges = exact.flatMap((needle) => findAll(text, needle));
    if (folded.length === 0) return ranges;
    const foldedText = fold(text);
    const found = folded.flatMap((needle) => findAll(foldedText, needle));
    if (found.length === 0) return ranges;
    const projection = { text: foldedText, origin: originOfFolded(text) };
    return [...ranges, ...found.map((range) => toOrigin(projection, range))];
  };
};

const redactRanges = (text: string, ranges: readonly TextRange[]): Redacted =>
  ranges.length === 0 ? { text, count: 0 } : replaceRanges(text, ranges);

/** Redacts only these secrets, and nothing that merely looks like one. */
export const createOwnRedactor = (secrets: readonly string[]): Redactor => {
  const find = createFind(secrets);
  return (text) => redactRanges(text, find(text));
};

/**
 * Redacts the secrets, and anything in a credential format. It cannot find a secret that is encrypted or split over several
 * strings, so no tool has access to secrets.
 */
export const createRedactor = (secrets: readonly string[]): Redactor => {
  const find = createFind(secrets);
  return (text) => redactRanges(text, [...findFormats(text), ...find(text)]);
};
