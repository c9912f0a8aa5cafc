/** Names that changed lines define or use, found in the text without parsing. */
import { isCodeLine } from '../../../shared/diff/code-line.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../../shared/diff/model.ts';

const MAX_CHARACTERS = 500;

const DEFINES =
  /\b(?:function|class|interface|enum|type|struct|trait|def|func|fn|const|let|var|val|module|namespace|macro_rules!)\s+(?:\*\s*)?([\p{L}_$][\p{L}\p{N}_$]{2,99})/gu;

/** A definition at the beginning of a line. */
const DEFINED_HERE =
  /^(?:\s{0,16}(?:export|default|public|pub|static|async|abstract|final|declare|private|protected)\s{1,4}){0,4}\s{0,16}(function|class|interface|enum|type|struct|trait|def|func|fn|fun|const|let|var|val|module|namespace|macro_rules!)\s{1,4}(?:\([^)]{0,99}\)\s{0,4})?(?:\*\s{0,4})?([\p{L}_$][\p{L}\p{N}_$]{2,99})/u;

/** A method or a function without a keyword: `name(parameters) {`, with modifiers and types before the name. */
const METHOD =
  /^\s{0,16}(?:[\w<>[\],.*&:?~@]{1,60}\s{1,4}){0,6}\*{0,3}([\p{L}_$][\p{L}\p{N}_$]{2,99})\s?\([^()]{0,300}\)[^=;()]{0,99}$/u;

const LOCAL: ReadonlySet<string> = new Set(['const', 'let', 'var', 'val']);

/** The name that the line defines for other files; null for a local variable. */
const nameDefined = (line: string): string | null => {
  const text = line.slice(0, MAX_CHARACTERS);
  const [, keyword = '', name] = DEFINED_HERE.exec(text) ?? [];
  return name === undefined || (/^\s/.test(text) && LOCAL.has(keyword)) ? null : name;
};

const namesDefined = (text: string): readonly string[] => [...text.matchAll(DEFINES)].map(([, name = '']) => name);

/** Every name that changed lines of the hunk define, including local variables. */
export const definedIn = (hunk: Hunk): readonly string[] =>
  hunkLines(hunk)
    .filter(({ kind }) => kind !== 'context')
    .flatMap(({ text }) => namesDefined(text));

/** A name that is called, or that begins with an upper-case letter like a type. */
const USED = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]{2,99})(?=\s{0,3}\()|\b([A-Z][A-Za-z0-9_]{2,99})\b/gu;

/** Most methods with a simple name are those of a standard library. */
export const isCompound = (name: string): boolean => /[\p{Ll}\d]\p{Lu}|_/u.test(name);

const LIBRARY: ReadonlySet<string> = new Set(
  'endsWith findIndex flatMap forEach fromEntries hasOwnProperty indexOf isArray isInteger lastIndexOf localeCompare matchAll padEnd padStart replaceAll startsWith toEqual toBe toLowerCase toString toUpperCase trimEnd trimStart'.split(
    ' ',
  ),
);

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'and assert async await catch class const def default elif else enum except export extends false final finally for ' +
    'foreach from func function if implements import interface isinstance let match module namespace new none not null ' +
    'print private protected public raise require return self sizeof static struct super switch throw true try type ' +
    'typeof undefined until use using var void when where while with yield'
  ).split(' '),
);

const isName = (name: string): boolean => !KEYWORDS.has(name.toLowerCase());

export type ShownHunks = { readonly file: DiffFile; readonly hunks: readonly Hunk[] };

/** Limits the work for one file. */
const MAX_LINES = 1_000;

const changedIn = ({ hunks }: ShownHunks) =>
  hunks
    .flatMap((hunk) => hunkLines(hunk))
    .filter(({ kind, text }) => kind !== 'context' && isCodeLine(text))
    .slice(0, MAX_LINES);

const MAX_DISTANCE = 400;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The function or class around a line: above it, on a line that is indented less than all lines between. */
const nameAround = (lines: readonly string[], line: number): string | null => {
  let indent = indentOf(lines[line - 1] ?? '');
  for (let at = line - 1; at >= 1 && line - at <= MAX_DISTANCE && indent > 0; at -= 1) {
    const text = lines[at - 1] ?? '';
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    const heading = text.trim() === '{' ? (lines[at - 2] ?? '') : text;
    const name = nameDefined(heading) ?? METHOD.exec(heading.slice(0, MAX_CHARACTERS).trimEnd())?.[1] ?? null;
    if (name !== null && isName(name)) return name;
  }
  return null;
};

/** The functions and classes that the hunks define or edit: changed lines define them or are inside them. */
export const editedNames = (shown: ShownHunks, head: readonly string[]): readonly string[] => {
  const names = new Set<string>();
  for (const { text, newLine } of changedIn(shown)) {
    const around = newLine === null ? null : nameAround(head, newLine);
    for (const name of [nameDefined(text), around]) if (name !== null) names.add(name);
  }
  return [...names].filter(isName);
};

/** Names that added lines use but no line of the hunks defines, in order of first use. */
export const usedNames = (shown: ShownHunks): readonly string[] => {
  const lines = shown.hunks.flatMap((hunk) => hunkLines(hunk));
  const defined = new Set(lines.flatMap(({ text }) => namesDefined(text)));
  const used = changedIn(shown)
    .filter(({ kind }) => kind === 'added')
    .flatMap(({ text }) =>
      [...text.slice(0, MAX_CHARACTERS).matchAll(USED)].flatMap(({ 1: called, 2: type, index }) => {
        const name = called ?? type ?? '';
        return text.charAt(index - 1) === '.' && !isCompound(name) ? [] : [name];
      }),
    );
  return [...new Set(used)].filter((name) => isName(name) && !LIBRARY.has(name) && !defined.has(name));
};

/** Names that many files have: a test that mentions such a name may mean another file. */
const GENERIC: ReadonlySet<string> = new Set(
  'app base build common config const constants core data errors helper helpers index init lib main mod model models prepare release run setup start test tests types util utils version'.split(
    ' ',
  ),
);

/** The name by which other files import this one; null if the name is too short or too common. */
export const moduleName = (path: string): string | null => {
  const parts = path.split('/');
  const stem = (parts.at(-1) ?? '').replace(/\..{0,50}$/, '');
  const isFolder = ['index', 'mod', 'main', 'lib', '__init__'].includes(stem);
  const name = isFolder ? (parts.at(-2) ?? '') : stem;
  return name.length > 2 && /^[\w-]+$/.test(name) && !GENERIC.has(name.toLowerCase()) ? name : null;
};
