/** Names that changed lines define or use, found in the text without parsing. */
import { isCodeLine } from '../../../shared/diff/code-line.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile, Hunk } from '../../../shared/diff/model.ts';
import { enclosingName } from '../../../shared/diff/position/block-name.ts';

const DEFINES =
  /\b(?:function|class|interface|enum|type|struct|trait|def|func|fn|const|let|var|val|module|namespace|macro_rules!)\s+(?:\*\s*)?([\p{L}_$][\p{L}\p{N}_$]{2,99})/gu;

/** Without the names of locals, which are no names to other files. */
const DEFINES_AT_TOP =
  /^(?:\s{0,8}(?:export|default|public|pub|static|async|abstract|final|declare|private|protected)\s{1,4})*(?:function|class|interface|enum|type|struct|trait|def|func|fn|const|let|var|val|module|namespace|macro_rules!)\s+(?:\([^)]{0,99}\)\s{0,4})?(?:\*\s*)?([\p{L}_$][\p{L}\p{N}_$]{2,99})/u;

const namesDefined = (text: string): readonly string[] => [...text.matchAll(DEFINES)].map(([, name = '']) => name);

/** Every name that changed lines of the hunk define, locals included. */
export const definedIn = (hunk: Hunk): readonly string[] =>
  hunkLines(hunk)
    .filter(({ kind }) => kind !== 'context')
    .flatMap(({ text }) => namesDefined(text));

const MAX_CHARACTERS = 500;

/** A called name, or one that begins like a type. */
const USED = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]{2,99})(?=\s{0,3}\()|\b([A-Z][A-Za-z0-9_]{2,99})\b/gu;

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

/** The functions and classes that the hunks define or edit: changed lines define them, or stand in them. */
export const editedNames = (shown: ShownHunks, head: readonly string[]): readonly string[] => {
  const names = new Set<string>();
  for (const { text, newLine } of changedIn(shown)) {
    const own = DEFINES_AT_TOP.exec(text.slice(0, MAX_CHARACTERS))?.[1];
    const isLocal = own !== undefined && /^\s/.test(text) && /\b(?:const|let|var|val)\s/.test(text);
    const around = newLine === null ? null : enclosingName(head, newLine);
    for (const name of [isLocal ? undefined : own, around])
      if (typeof name === 'string' && name.length > 2) names.add(name);
  }
  return [...names].filter(isName);
};

/** Names that added lines use and no line of the hunks defines, in their order. */
export const usedNames = (shown: ShownHunks): readonly string[] => {
  const lines = shown.hunks.flatMap((hunk) => hunkLines(hunk));
  const defined = new Set(lines.flatMap(({ text }) => namesDefined(text)));
  const used = changedIn(shown)
    .filter(({ kind }) => kind === 'added')
    .flatMap(({ text }) =>
      [...text.slice(0, MAX_CHARACTERS).matchAll(USED)].map(([, called, type]) => called ?? type ?? ''),
    );
  return [...new Set(used)].filter((name) => isName(name) && !defined.has(name));
};

/** Names that many files have: a test that mentions one need not mean this file. */
const GENERIC: ReadonlySet<string> = new Set(
  'app base common config const constants core data errors helper helpers index init lib main mod model models setup test tests types util utils'.split(
    ' ',
  ),
);

/** The name by which other files import this one; null if it says too little. */
export const moduleName = (path: string): string | null => {
  const parts = path.split('/');
  const stem = (parts.at(-1) ?? '').replace(/\..{0,50}$/, '');
  const isFolder = ['index', 'mod', 'main', 'lib', '__init__'].includes(stem);
  const name = isFolder ? (parts.at(-2) ?? '') : stem;
  return name.length > 2 && /^[\w-]+$/.test(name) && !GENERIC.has(name.toLowerCase()) ? name : null;
};
