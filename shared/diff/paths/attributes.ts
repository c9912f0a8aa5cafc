import { compileGlob, type Glob } from './glob-match.ts';
import { decodeBytes, unquoteName } from './quoted-path.ts';

/** A `.gitattributes` file of the target branch. `folder` has no final slash; '' is the root. */
export type AttributesFile = { readonly folder: string; readonly text: string };

/** `true` is git's "set", `false` is "unset", and a string is `name=value`; an unspecified attribute has no entry. */
export type Attributes = ReadonlyMap<string, string | boolean>;

export type AttributeRules = { readonly lookUp: (path: string) => Attributes };

type Assignment = { readonly name: string; readonly value: string | boolean | null };
type Rule = { readonly folder: string; readonly glob: Glob; readonly assignments: readonly Assignment[] };

/** git ignores longer lines (see the gitattributes documentation). */
const MAX_LINE_LENGTH = 2048;
const BINARY_MACRO: readonly Assignment[] = [
  { name: 'binary', value: true },
  { name: 'diff', value: false },
  { name: 'merge', value: false },
  { name: 'text', value: false },
];

/** Later lines and deeper folders have priority, as in git. Lines that git ignores are ignored. Never throws. */
export const parseAttributes = (files: readonly AttributesFile[]): AttributeRules => {
  const ordered = files.toSorted((one, two) => depthOf(one.folder) - depthOf(two.folder));
  const macros = new Map([['binary', BINARY_MACRO]]);
  const rules = ordered.flatMap((file) =>
    file.text.split('\n').flatMap((line) => parseLine(file.folder, line, macros)),
  );
  return { lookUp: (path) => lookUp(rules, path) };
};

const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);

const parseLine = (folder: string, raw: string, macros: Map<string, readonly Assignment[]>): readonly Rule[] => {
  const line = raw.trim();
  if (line === '' || line.startsWith('#') || line.length > MAX_LINE_LENGTH) return [];
  const { pattern, rest } = splitPattern(line);
  const assignments = rest
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => expand(parseWord(word), macros));
  if (pattern.startsWith('[attr]')) {
    const name = pattern.slice('[attr]'.length);
    macros.set(name, [{ name, value: true }, ...assignments]);
    return [];
  }
  // git forbids negative patterns in this file and ignores them.
  const glob = pattern.startsWith('!') ? null : compileGlob(pattern, { braces: false });
  return glob === null ? [] : [{ folder, glob, assignments }];
};

const splitPattern = (line: string): { pattern: string; rest: string } => {
  const quoted = line.startsWith('"') ? unquoteName(line, 0) : null;
  if (quoted !== null) return { pattern: decodeBytes(quoted.name), rest: line.slice(quoted.end) };
  const blank = line.search(/\s/);
  return blank === -1 ? { pattern: line, rest: '' } : { pattern: line.slice(0, blank), rest: line.slice(blank) };
};

const parseWord = (word: string): Assignment => {
  if (word.startsWith('-')) return { name: word.slice(1), value: false };
  if (word.startsWith('!')) return { name: word.slice(1), value: null };
  const equals = word.indexOf('=');
  return equals === -1 ? { name: word, value: true } : { name: word.slice(0, equals), value: word.slice(equals + 1) };
};

const expand = (one: Assignment, macros: ReadonlyMap<string, readonly Assignment[]>): readonly Assignment[] =>
  one.value === true ? (macros.get(one.name) ?? [one]) : [one];

const lookUp = (rules: readonly Rule[], path: string): Attributes => {
  const found = new Map<string, string | boolean>();
  for (const rule of rules) {
    const inside = relativeTo(rule.folder, path);
    if (inside === null || !rule.glob.matches(inside)) continue;
    for (const { name, value } of rule.assignments) {
      if (value === null) found.delete(name);
      else found.set(name, value);
    }
  }
  return found;
};

const relativeTo = (folder: string, path: string): string | null => {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null;
};
