/** Finds the line of a setting in a TOML file, for error messages. It scans the lines and is not a full parser. */

const KEY = String.raw`(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')`;
const DOTTED = String.raw`${KEY}(?:\s*\.\s*${KEY})*`;
const HEADER = new RegExp(String.raw`^\s*\[(\[?)\s*(${DOTTED})\s*\]`);
const ASSIGNED = new RegExp(String.raw`^\s*(${DOTTED})\s*=`);

const partsOf = (dotted: string): readonly string[] =>
  dotted.split('.').map((part) => part.trim().replaceAll(/^["']|["']$/g, ''));

type Place = { readonly path: string; readonly line: number };

/** Lists every table header and key with its full path; entries of arrays of tables are numbered from 0. */
const placesIn = (text: string): readonly Place[] => {
  const counts = new Map<string, number>();
  const places: Place[] = [];
  let table = '';
  for (const [index, content] of text.split('\n').entries()) {
    const [, bracket, header] = HEADER.exec(content) ?? [];
    if (header !== undefined) {
      const path = nested(partsOf(header), counts);
      const count = bracket === '[' ? (counts.get(path) ?? -1) + 1 : null;
      if (count !== null) counts.set(path, count);
      table = count === null ? path : `${path}[${count}]`;
      places.push({ path: table, line: index + 1 });
      continue;
    }
    const [, key] = ASSIGNED.exec(content) ?? [];
    if (key !== undefined) places.push({ path: [table, ...partsOf(key)].filter(Boolean).join('.'), line: index + 1 });
  }
  return places;
};

/** A table below an array of tables belongs to the newest entry of that array. */
const nested = (parts: readonly string[], counts: ReadonlyMap<string, number>): string =>
  parts.reduce((path, part, index) => {
    const next = path === '' ? part : `${path}.${part}`;
    const count = index < parts.length - 1 ? counts.get(next) : undefined;
    return count === undefined ? next : `${next}[${count}]`;
  }, '');

/** `setting` has the form that messages use: `forge[0].token_env`. If the setting is missing, returns the line of its table. */
export const locateSetting = (text: string, setting: string): number | null => {
  const places = placesIn(text);
  for (let path = setting; path !== ''; path = path.replace(/(?:^|\.)[^.[]+$|\[\d+\]$/, '')) {
    const found = places.find((place) => place.path === path);
    if (found !== undefined) return found.line;
    if (!/[.[]/.test(path)) return null;
  }
  return null;
};
