/**
 * Parses JSON as models write it: in a code fence, inside prose, with trailing commas, raw line breaks or inner quotes. Takes
 * linear time per start, and the number of starts is bounded.
 */
export type LooseJson =
  /** `whole`: the text contained only this value, apart from a code fence. */
  { readonly kind: 'parsed'; readonly value: unknown; readonly whole: boolean } | { readonly kind: 'unreadable' };

const MAX_CHARACTERS = 400_000;
const MAX_STARTS = 50;
const FENCE = /^```[a-z]*[ \t]*\n([\s\S]*?)\n?```$/i;

const nextSolid = (text: string, from: number): string => {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (!/\s/.test(character)) return character;
  }
  return '';
};

/** A quotation mark closes a string if the next character is one that can follow a string. */
const closesString = (text: string, at: number): boolean => [',', '}', ']', ':', ''].includes(nextSolid(text, at + 1));

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeInside = (character: string): string => {
  if (character >= ' ') return character;
  return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
};

/** Fixes trailing commas, bad escapes and raw characters in strings in one pass. Other mistakes remain. */
export const repairJson = (text: string): string => {
  let written = '';
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (!inString) {
      inString = character === '"';
      const isStray = character === ',' && ['}', ']'].includes(nextSolid(text, at + 1));
      written += isStray ? '' : character;
    } else if (character === '\\') {
      const next = text[at + 1] ?? '';
      written += next < ' ' ? `\\\\${escapeInside(next)}` : `\\${next}`;
      at += 1;
    } else if (character === '"') {
      inString = !closesString(text, at);
      written += inString ? '\\"' : '"';
    } else written += escapeInside(character);
  }
  return written;
};

const tryParse = (text: string): { readonly value: unknown } | null => {
  for (const candidate of [text, repairJson(text)]) {
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // The next candidate is tried.
    }
  }
  return null;
};

/** The end (exclusive) of the object that begins at `start`; -1 if the object is never closed. */
const objectEnd = (text: string, start: number): number => {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = !closesString(text, at);
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};

/** Returns the last complete object, because models reason first and answer last. */
const lastObject = (text: string): { readonly value: unknown } | null => {
  let found: { readonly value: unknown } | null = null;
  let starts = 0;
  for (let at = text.indexOf('{'); at !== -1 && starts < MAX_STARTS; starts += 1) {
    const end = objectEnd(text, at);
    const parsed = end === -1 ? null : tryParse(text.slice(at, end));
    if (parsed !== null) found = parsed;
    at = text.indexOf('{', parsed === null ? at + 1 : end);
  }
  return found;
};

export const parseLooseJson = (text: string): LooseJson => {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_CHARACTERS) return { kind: 'unreadable' };
  const whole = tryParse(FENCE.exec(trimmed)?.[1] ?? trimmed);
  if (whole !== null) return { kind: 'parsed', value: whole.value, whole: true };
  const inside = lastObject(trimmed);
  return inside === null ? { kind: 'unreadable' } : { kind: 'parsed', value: inside.value, whole: false };
};
