/** Finds, at the head, what a change touches elsewhere: uses of its names, definitions that it needs, and tests. */
import type { AroundChange } from '../../../shared/agent/prompt/surroundings.ts';
import { isProseFile } from '../../../shared/diff/code-line.ts';
import { hunkLines } from '../../../shared/diff/hunk-lines.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { AppError } from '../../../shared/errors.ts';
import type { CommitMatch } from '../../../shared/workspace/git/grep-commit.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import { type LineRole, roleOfLine } from '../../../shared/workspace/tree/definition.ts';
import { looksLikeTest, stemOf } from '../../../shared/workspace/tree/known-tests.ts';
import { editedNames, isCompound, moduleName, type ShownHunks, usedNames } from './changed-names.ts';
import type { Packet } from './packet.ts';

const TIMEOUT_MS = 3_000;
const MAX_FILES = 40;
const MAX_NAMES = 30;
const MAX_MATCHES_PER_FILE = 20;
/** A name with more matches is common: most of them may be about other code. */
const MAX_MATCHES_PER_NAME = 60;
const MAX_USES = 20;
const MAX_USES_PER_NAME = 5;
const MAX_DEFINITIONS = 10;
/**
 * A name with more definitions is so common that the change may mean none of them. The limit is two, because a type and
 * a value may share a name.
 */
const MAX_DEFINITIONS_PER_NAME = 2;
const MAX_TESTS = 10;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]{2,99}/gu;

type Names = {
  readonly edited: readonly string[];
  readonly used: readonly string[];
  readonly modules: readonly string[];
};

/** In a later review, only hunks that changed since the last one. */
const shownIn = ({
  reviewable,
  delta,
  kinds,
}: Pick<Packet, 'reviewable' | 'delta' | 'kinds'>): readonly ShownHunks[] => {
  const deltas = new Map(delta?.files.map((each) => [each.file, each.hunks]));
  return reviewable
    .filter(({ newPath, hunks }) => hunks.length > 0 && kinds.get(newPath)?.kind !== 'no_code')
    .flatMap((file) => {
      const changed = deltas.get(file)?.flatMap(({ hunk, state }) => (state === 'unchanged' ? [] : [hunk]));
      const hunks = changed ?? file.hunks;
      return hunks.length === 0 ? [] : [{ file, hunks }];
    })
    .slice(0, MAX_FILES);
};

const namesOf = async (shown: readonly ShownHunks[], { headText }: Pick<Packet, 'headText'>): Promise<Names> => {
  const [edited, used, modules] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const each of shown) {
    const { newPath, oldPath, status } = each.file;
    const head = status === 'deleted' ? [] : ((await headText(newPath)) ?? '').split('\n');
    for (const name of usedNames(each)) used.add(name);
    // No other file uses what a test defines.
    if (looksLikeTest(newPath)) continue;
    for (const name of editedNames(each, head)) edited.add(name);
    for (const name of [moduleName(newPath), moduleName(oldPath)]) if (name !== null) modules.add(name);
  }
  return {
    edited: [...edited].slice(0, MAX_NAMES),
    used: [...used].filter((name) => !edited.has(name)).slice(0, MAX_NAMES),
    modules: [...modules].slice(0, MAX_NAMES),
  };
};

const anyOf = (names: readonly string[]): string => `(${names.map((name) => name.replaceAll('$', '\\$')).join('|')})`;

const KEYWORDS =
  '(function|class|interface|enum|type|struct|trait|def|func|fn|fun|const|let|var|val|module|namespace|sub|define)';

/**
 * One expression without long repetitions: git takes ten times as long for several expressions, or for long
 * repetitions.
 */
const patternOf = ({ edited, used, modules }: Names): string | null => {
  const defined = anyOf(used);
  const parts = [
    ...(edited.length + modules.length === 0 ? [] : [anyOf([...edited, ...modules])]),
    ...(used.length === 0
      ? []
      : [
          `${KEYWORDS}[ \t*]+${defined}`,
          `func +\\([^)]*\\) *${defined}`,
          `(public|private|protected|static|async)[ \t]+([A-Za-z0-9_<>,.]+[ \t]+)?${defined}`,
        ]),
  ];
  return parts.length === 0 ? null : parts.join('|');
};

type Found = CommitMatch & { readonly words: ReadonlySet<string> };

const isIn = (files: readonly DiffFile[]): ((match: CommitMatch) => boolean) => {
  const lines = new Set(
    files.flatMap(({ newPath, hunks }) =>
      hunks.flatMap((hunk) =>
        hunkLines(hunk).flatMap(({ newLine }) => (newLine === null ? [] : [`${newPath}:${newLine}`])),
      ),
    ),
  );
  return ({ path, line }) => lines.has(`${path}:${line}`);
};

const withName = (matches: readonly Found[], name: string): readonly Found[] =>
  matches.filter(({ words }) => words.has(name));

const isLocal = ({ text }: CommitMatch): boolean => /^\s{1,40}(?:const|let|var|val)\s/.test(text);

const DEFINING: ReadonlySet<LineRole> = new Set(['definition', 'type_definition']);

/** True if a match may be about other code: the name is common, and a simple word or defined in a file of the matches. */
const isEverywhere = (named: readonly Found[], name: string): boolean =>
  named.length > MAX_MATCHES_PER_NAME &&
  !(isCompound(name) && named.every(({ path, text }) => !DEFINING.has(roleOfLine(path, text, name))));

/** Uses before imports, because an import only shows that the file may use the name. None for a name that is everywhere. */
const allUsesOf = (matches: readonly Found[], name: string): readonly Found[] => {
  const named = withName(matches, name);
  if (isEverywhere(named, name)) return [];
  const known = named.map((match) => ({ match, role: roleOfLine(match.path, match.text, name) }));
  const withRole = (wanted: LineRole): readonly Found[] =>
    known.flatMap(({ match, role }) => (role === wanted ? [match] : []));
  return [...withRole('use'), ...withRole('import')];
};

const usesOf = (matches: readonly Found[], name: string): readonly Found[] =>
  allUsesOf(matches, name).slice(0, MAX_USES_PER_NAME);

const filesThatUse = (matches: readonly Found[], names: readonly string[]): number =>
  new Set(names.flatMap((name) => allUsesOf(matches, name).map(({ path }) => path))).size;

const definitionsOf = (matches: readonly Found[], name: string): readonly Found[] => {
  const found = withName(matches, name).filter(
    (match) => !isLocal(match) && DEFINING.has(roleOfLine(match.path, match.text, name)),
  );
  return found.length > MAX_DEFINITIONS_PER_NAME ? [] : found;
};

const placesOf = (names: readonly string[], find: (name: string) => readonly Found[]): readonly string[] =>
  names.flatMap((name) => find(name).map(({ path, line }) => `${path}:${line} ${name}`));

/** True if the text mentions the module in an import or as part of a path, and not only as a word. */
const namesModule = (text: string, name: string): boolean =>
  text.includes(`/${name}`) ||
  text.includes(`.${name}`) ||
  (text.includes(name) && /\b(?:import|from|require|use|using|include)\b/.test(text));

const foldersOf = (path: string): readonly string[] => path.split('/').slice(0, -1);

/** Rates a file higher if it is named after a changed file, or else if its folders have the same names. */
const nearness = (path: string, modules: readonly string[], folders: ReadonlySet<string>): number => {
  const stem = stemOf(path);
  const isNamed = modules.some((name) => name.toLowerCase() === stem);
  return (isNamed ? 100 : 0) + foldersOf(path).filter((folder) => folders.has(folder)).length;
};

const testsOf = (
  matches: readonly Found[],
  { edited, modules }: Names,
  folders: ReadonlySet<string>,
): readonly string[] => {
  const tests = new Set(
    matches.flatMap(({ path, words, text }) => {
      if (!looksLikeTest(path) || path.endsWith('.snap')) return [];
      const means = edited.some((name) => words.has(name)) || modules.some((name) => namesModule(text, name));
      return means ? [path] : [];
    }),
  );
  return [...tests]
    .toSorted((one, other) => nearness(other, modules, folders) - nearness(one, modules, folders))
    .slice(0, MAX_TESTS);
};

const search = async (
  { head }: Pick<Packet, 'head'>,
  { pattern, revisions }: { readonly pattern: string | null; readonly revisions: Pick<Revisions, 'grep'> },
  signal: AbortSignal,
): Promise<readonly CommitMatch[]> => {
  if (pattern === null) return [];
  try {
    const limits = { maxPerFile: MAX_MATCHES_PER_FILE, timeoutMs: TIMEOUT_MS };
    return await revisions.grep({ commit: head, pattern, ...limits }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return [];
  }
};

/** `usedIn`: number of files outside the diff, other than tests, that use changed code; names that are everywhere do not count. */
type Surroundings = Pick<AroundChange, 'uses' | 'definitions' | 'tests'> & { readonly usedIn: number };

/**
 * Searches the head once, for at most 3 s. If git does not answer in that time, everything is left out, because a
 * review does not depend on it.
 */
export const findSurroundings = async (
  packet: Pick<Packet, 'head' | 'reviewable' | 'diff' | 'delta' | 'kinds' | 'headText'>,
  revisions: Pick<Revisions, 'grep'>,
  signal: AbortSignal,
): Promise<Surroundings> => {
  const shown = shownIn(packet);
  const names = await namesOf(shown, packet);
  const changed = new Set(packet.diff.files.map(({ newPath }) => newPath));
  const isShown = isIn(packet.diff.files);
  const matches = (await search(packet, { pattern: patternOf(names), revisions }, signal))
    .filter((match) => !isShown(match))
    .map((match) => ({ ...match, words: new Set(match.text.match(WORD)) }));
  const code = matches.filter(({ path }) => !looksLikeTest(path) && !isProseFile(path));
  return {
    uses: placesOf(names.edited, (name) => usesOf(code, name)).slice(0, MAX_USES),
    usedIn: filesThatUse(
      code.filter(({ path }) => !changed.has(path)),
      names.edited,
    ),
    definitions: placesOf(names.used, (name) => definitionsOf(code, name)).slice(0, MAX_DEFINITIONS),
    tests: testsOf(
      matches.filter(({ path }) => !changed.has(path)),
      names,
      new Set(shown.flatMap(({ file }) => foldersOf(file.newPath))),
    ),
  };
};
