export type GlobNode =
  | { readonly kind: 'one'; readonly test: (character: string) => boolean }
  /** Matches any number of characters. `crosses`: slashes are included. */
  | { readonly kind: 'many'; readonly crosses: boolean }
  | { readonly kind: 'folders' }
  | { readonly kind: 'choice'; readonly options: readonly (readonly GlobNode[])[] };

type Reader = { readonly characters: readonly string[]; at: number; readonly braces: boolean };

const MAX_DEPTH = 8;

const literal = (wanted: string): GlobNode => ({ kind: 'one', test: (character) => character === wanted });

/** Parses a pattern. Returns null for an unclosed bracket or brace, or for an unsupported class. */
export const parseGlob = (pattern: string, braces: boolean): readonly GlobNode[] | null => {
  const reader: Reader = { characters: Array.from(pattern), at: 0, braces };
  const nodes = readSequence(reader, 0);
  return nodes !== null && reader.at === reader.characters.length ? nodes : null;
};

/** Reads to the end of the pattern or, inside braces, to the end of the current alternative. */
const readSequence = (reader: Reader, depth: number): readonly GlobNode[] | null => {
  const nodes: GlobNode[] = [];
  while (reader.at < reader.characters.length) {
    const character = reader.characters[reader.at];
    if (depth > 0 && (character === ',' || character === '}')) return nodes;
    const node = readNode(reader, depth);
    if (node === null) return null;
    nodes.push(node);
  }
  return nodes;
};

const readNode = (reader: Reader, depth: number): GlobNode | null => {
  const character = reader.characters[reader.at] ?? '';
  if (character === '*') return readStars(reader);
  if (character === '{' && reader.braces) return readChoice(reader, depth + 1);
  reader.at++;
  if (character === '?') return { kind: 'one', test: (one) => one !== '/' };
  if (character === '[') return readClass(reader);
  if (character !== '\\') return literal(character);
  const escaped = reader.characters[reader.at++];
  return escaped === undefined ? null : literal(escaped);
};

/** `**` matches across folders only if it is a whole name between slashes; elsewhere it equals a single `*`. */
const readStars = (reader: Reader): GlobNode => {
  const { characters } = reader;
  const from = reader.at;
  while (characters[reader.at] === '*') reader.at++;
  const before = characters[from - 1];
  const after = characters[reader.at];
  const whole = reader.at - from >= 2 && (before === undefined || before === '/');
  if (whole && after === '/') {
    reader.at++;
    return { kind: 'folders' };
  }
  return { kind: 'many', crosses: whole && after === undefined };
};

const readChoice = (reader: Reader, depth: number): GlobNode | null => {
  if (depth > MAX_DEPTH) return null;
  const options: (readonly GlobNode[])[] = [];
  do {
    reader.at++;
    const option = readSequence(reader, depth);
    if (option === null) return null;
    options.push(option);
  } while (reader.characters[reader.at] === ',');
  return reader.characters[reader.at++] === '}' ? { kind: 'choice', options } : null;
};

/** Reads a class after its `[`. The first character may be `]`. A class never matches `/`, and `[:alpha:]` is not supported. */
const readClass = (reader: Reader): GlobNode | null => {
  const { characters } = reader;
  const negated = characters[reader.at] === '!' || characters[reader.at] === '^';
  if (negated) reader.at++;
  const ranges: (readonly [string, string])[] = [];
  while (ranges.length === 0 || characters[reader.at] !== ']') {
    if (characters[reader.at] === '[' && characters[reader.at + 1] === ':') return null;
    const range = readRange(reader);
    if (range === null) return null;
    ranges.push(range);
  }
  reader.at++;
  const names = (one: string): boolean => ranges.some(([low, high]) => low <= one && one <= high);
  return { kind: 'one', test: (one) => one !== '/' && names(one) !== negated };
};

const readRange = (reader: Reader): readonly [string, string] | null => {
  const low = readClassCharacter(reader);
  if (low === null) return null;
  const next = reader.characters[reader.at + 1];
  if (reader.characters[reader.at] !== '-' || next === ']' || next === undefined) return [low, low];
  reader.at++;
  const high = readClassCharacter(reader);
  return high === null ? null : [low, high];
};

const readClassCharacter = (reader: Reader): string | null => {
  if (reader.characters[reader.at] === '\\') reader.at++;
  return reader.characters[reader.at++] ?? null;
};
