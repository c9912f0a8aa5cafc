/**
 * Matches a path like Ruby's `File.fnmatch?` with `FNM_PATHNAME | FNM_DOTMATCH`, which GitLab uses: `*` and `?` stay within a
 * folder, `**` and a slash match any number of folders, `[a-z]` and `[!a]` are sets, `\` escapes the next character.
 * https://docs.ruby-lang.org/en/master/File.html#method-c-fnmatch
 */

type Token = { readonly kind: 'one'; readonly fits: (character: string) => boolean } | { readonly kind: 'any' };

type Segment = { readonly kind: 'folders' } | { readonly kind: 'name'; readonly tokens: readonly Token[] };

export type FilePattern = { readonly matches: (path: string) => boolean };

/** Returns null for a pattern with an unclosed set, because such a pattern matches nothing. */
export const compileFilePattern = (pattern: string): FilePattern | null => {
  const segments: Segment[] = [];
  const parts = splitFolders(pattern);
  for (const [index, part] of parts.entries()) {
    if (part === '**' && index < parts.length - 1) {
      segments.push({ kind: 'folders' });
      continue;
    }
    const tokens = tokensOf(part);
    if (tokens === null) return null;
    segments.push({ kind: 'name', tokens });
  }
  return { matches: (path) => matchFolders(segments, path.split('/')) };
};

/** Splits at every slash, because a backslash cannot escape a slash. */
const splitFolders = (pattern: string): readonly string[] => pattern.split('/');

const is = (wanted: string): Token => ({ kind: 'one', fits: (character) => character === wanted });
const ANY_ONE: Token = { kind: 'one', fits: () => true };

const tokensOf = (part: string): readonly Token[] | null => {
  const characters = Array.from(part);
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'any') tokens.push({ kind: 'any' });
    } else if (character === '?') tokens.push(ANY_ONE);
    else if (character === '[') {
      const set = readSet(characters, at + 1);
      if (set === null) return null;
      tokens.push(set.token);
      at = set.end;
    } else if (character === '\\' && at + 1 < characters.length) {
      at += 1;
      tokens.push(is(characters[at] ?? ''));
    } else tokens.push(is(character));
  }
  return tokens;
};

type Range = { readonly from: string; readonly to: string };

/** `end` is the index of the closing bracket. */
const readSet = (characters: readonly string[], from: number): { token: Token; end: number } | null => {
  const isInverted = characters[from] === '!' || characters[from] === '^';
  const ranges: Range[] = [];
  for (let at = isInverted ? from + 1 : from; at < characters.length; at += 1) {
    if (characters[at] === ']') return { token: setOf(ranges, isInverted), end: at };
    const first = readMember(characters, at);
    at = first.end;
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length && characters[at + 2] !== ']';
    const last = isRange ? readMember(characters, at + 2) : first;
    at = last.end;
    ranges.push({ from: first.character, to: last.character });
  }
  return null;
};

const readMember = (characters: readonly string[], at: number): { character: string; end: number } =>
  characters[at] === '\\' && at + 1 < characters.length
    ? { character: characters[at + 1] ?? '', end: at + 1 }
    : { character: characters[at] ?? '', end: at };

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

const setOf = (ranges: readonly Range[], isInverted: boolean): Token => ({
  kind: 'one',
  fits: (character) =>
    ranges.some(({ from, to }) => codeOf(from) <= codeOf(character) && codeOf(character) <= codeOf(to)) !== isInverted,
});

/** Only the newest star needs backtracking. For every earlier star, the shortest match is sufficient. */
const matchFolders = (segments: readonly Segment[], names: readonly string[]): boolean => {
  let segment = 0;
  let name = 0;
  let star: { readonly segment: number; name: number } | null = null;
  while (name < names.length) {
    const wanted = segments[segment];
    if (wanted?.kind === 'folders') {
      segment += 1;
      star = { segment, name };
    } else if (wanted !== undefined && matchName(wanted.tokens, Array.from(names[name] ?? ''))) {
      segment += 1;
      name += 1;
    } else if (star === null) return false;
    else {
      star = { segment: star.segment, name: star.name + 1 };
      ({ segment, name } = star);
    }
  }
  return segment === segments.length;
};

const matchName = (tokens: readonly Token[], characters: readonly string[]): boolean => {
  let token = 0;
  let at = 0;
  let star: { readonly token: number; at: number } | null = null;
  while (at < characters.length) {
    const wanted = tokens[token];
    if (wanted?.kind === 'any') {
      token += 1;
      star = { token, at };
    } else if (wanted?.fits(characters[at] ?? '') === true) {
      token += 1;
      at += 1;
    } else if (star === null) return false;
    else {
      star = { token: star.token, at: star.at + 1 };
      ({ token, at } = star);
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === 'any');
};
