/**
 * Finds the files of a change that belong together: a test and the file that it tests, a file and the files that it
 * imports. This is a guess from names and text.
 */
import { looksLikeTest, stemOf } from '../../../shared/workspace/tree/known-tests.ts';

const sharedFolders = (one: string, other: string): number => {
  const others = new Set(other.split('/').slice(0, -1));
  return one.split('/').filter((folder) => others.has(folder)).length;
};

const closest = (to: string, paths: readonly string[]): string | undefined =>
  paths.toSorted((one, two) => sharedFolders(to, two) - sharedFolders(to, one) || (one < two ? -1 : 1))[0];

/** For each test, the file of the change that it tests. */
export const testedFiles = (paths: readonly string[]): ReadonlyMap<string, readonly string[]> => {
  const byStem = new Map<string, string[]>();
  for (const path of paths)
    if (!looksLikeTest(path)) byStem.set(stemOf(path), [...(byStem.get(stemOf(path)) ?? []), path]);
  const found = new Map<string, readonly string[]>();
  for (const path of paths) {
    const tested = looksLikeTest(path) ? closest(path, byStem.get(stemOf(path)) ?? []) : undefined;
    if (tested !== undefined) found.set(path, [tested]);
  }
  return found;
};

/** Imports are at the beginning of a file. */
const MAX_CHARACTERS = 8_000;

const NAMED = [
  /\b(?:from|import|require)\b[\s(]{0,4}['"]([^'"\n]{1,200})['"]/g,
  /^[ \t]{0,8}#[ \t]*include[ \t]+["<]([^">\n]{1,200})[">]/gm,
  /^[ \t]{0,8}(?:from|import|use)[ \t]+([\w.:]{1,200})/gm,
];

const namesIn = (text: string): readonly string[] => {
  const head = text.slice(0, MAX_CHARACTERS);
  return NAMED.flatMap((pattern) => [...head.matchAll(pattern)].map(([, name = '']) => name));
};

const plain = (path: string): string => path.replace(/\.[^/.]+$/, '').replace(/\/index$/, '');

/** Resolves `.` and `..`; null for a name that is not relative. */
const resolve = (from: string, name: string): string | null => {
  if (!name.startsWith('.') || /^\.+\w/.test(name)) return null;
  const folders = from.split('/').slice(0, -1);
  for (const step of name.split('/')) {
    if (step === '..') folders.pop();
    else if (step !== '.' && step !== '') folders.push(step);
  }
  return folders.join('/');
};

type Index = {
  readonly byPlain: ReadonlyMap<string, string>;
  /** Files by the last two segments of their path without its extension, as in `user.model`. */
  readonly byEnd: ReadonlyMap<string, string>;
};

const endOf = (steps: readonly string[]): string => steps.slice(-2).join('/');

const importedBy = (path: string, name: string, { byPlain, byEnd }: Index): string | undefined => {
  const relative = resolve(path, name);
  if (relative !== null) return byPlain.get(relative) ?? byPlain.get(plain(relative));
  const steps = plain(name.includes('/') ? name : name.replaceAll(/::|\./g, '/')).split('/');
  return steps.length < 2 ? undefined : byEnd.get(endOf(steps));
};

/** For each file, the files of the change that it seems to import. */
export const importedFiles = (
  files: readonly { readonly path: string; readonly text: string }[],
): ReadonlyMap<string, readonly string[]> => {
  const index: Index = {
    byPlain: new Map(files.map(({ path }) => [plain(path), path])),
    byEnd: new Map(files.map(({ path }) => [endOf(plain(path).split('/')), path])),
  };
  const found = new Map<string, readonly string[]>();
  for (const { path, text } of files) {
    const named = namesIn(text).flatMap((name) => importedBy(path, name, index) ?? []);
    const others = [...new Set(named)].filter((other) => other !== path);
    if (others.length > 0) found.set(path, others);
  }
  return found;
};
