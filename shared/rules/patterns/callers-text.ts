/** Whether a text visibly comes from somebody else: a request, or the caller of a function that other files can reach. */
import { localValues, type Use } from '../inserted/local-values.ts';
import { isParameterOfFunction, isParameterOnLine } from '../inserted/parameters.ts';
import { isVisiblyForeign } from '../inserted/visibly-foreign.ts';

const MAX_STEPS = 3;
const MAX_CHARACTERS = 2_000;
const MAX_LINE_CHARACTERS = 300;

/** A file of a package, in any of the ways in which one makes its functions known. */
const EXPORTS = /(?<![\w$.])(?:module\.)?exports\b|^\s{0,20}export\s/;
const STRING = /"(?:[^"\\\n]|\\.){0,300}"|'(?:[^'\\\n]|\\.){0,300}'/g;
/** A name, and the property behind it. */
const NAME = /(?<![\w$.])([A-Za-z_$][\w$]{0,60})(?:\??\.([A-Za-z_$][\w$]{0,60})|\s{0,3}(\[))?/g;
/** What is called on a text. Another property of a parameter is a part of an object, such as a setting. */
const OF_TEXT =
  /^(?:trim\w{0,10}|to[A-Z]\w{0,20}|replace\w{0,10}|slice|substr\w{0,10}|split|concat|normalize|match\w{0,10}|pad\w{0,10}|at|charAt)$/;

/** Each file is searched once. */
const known = new WeakMap<readonly string[], boolean>();

const hasExports = ({ lines, work }: Use): boolean => {
  const found = known.get(lines);
  if (found !== undefined) return found;
  work?.spend(lines.length);
  const answer = lines.some((line) => EXPORTS.test(line.slice(0, MAX_CHARACTERS)));
  known.set(lines, answer);
  return answer;
};

/** What begins at the left margin, and its name. */
const OUTER = /^(?:async\s{1,3})?(?:function\*?|const|let|var|class)\s{1,3}([A-Za-z_$][\w$]{0,60})/;
const MAX_LINES_ABOVE = 400;

/** The name of the function or class around the line, if it begins at the left margin and without `export`; null otherwise. */
const outerName = ({ lines, line, work }: Use): string | null => {
  for (let index = line - 1; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = lines[index] ?? '';
    work?.spend(1);
    if (/^[A-Za-z]/.test(text)) return OUTER.exec(text.slice(0, MAX_LINE_CHARACTERS))?.[1] ?? null;
  }
  return null;
};

/** The names that a module exports. Each file is searched once. */
const exportedNames = new WeakMap<readonly string[], ReadonlySet<string> | 'any'>();
const EXPORTED = /^\s{0,20}(?:export\b|\}|[\w$]{1,60},?$)/;

const exportedNamesOf = ({ lines, work }: Use): ReadonlySet<string> | 'any' => {
  const found = exportedNames.get(lines);
  if (found !== undefined) return found;
  work?.spend(lines.length);
  const texts = lines.map((line) => line.slice(0, MAX_CHARACTERS));
  const names = texts.some((text) => /\bexports\b/.test(text))
    ? 'any'
    : new Set(texts.flatMap((text) => (EXPORTED.test(text) ? (text.match(/[\w$]+/g) ?? []) : [])));
  exportedNames.set(lines, names);
  return names;
};

/** Whether the function around the line is not exported. In a module with `exports` this is unknown, and the answer is false. */
const isInternal = (use: Use): boolean => {
  const name = outerName(use);
  if (name === null) return false;
  const names = exportedNamesOf(use);
  return names !== 'any' && !names.has(name);
};

/** Whether the value is made of an earlier one of the same name, such as `text = text.trim()`. */
const isOfItself = (value: string, name: string): boolean =>
  [...value.replaceAll(STRING, '""').matchAll(NAME)].some(([, each]) => each === name);

const isParameter = (name: string, use: Use): boolean =>
  isParameterOnLine(name, use) || isParameterOfFunction(name, use);

const isOfCaller = (code: string, use: Use, steps: number): boolean => {
  if (code.length > MAX_CHARACTERS) return false;
  const plain = code.replaceAll(STRING, '""');
  use.work?.spend(plain.length);
  return [...plain.matchAll(NAME)].some(([, name = '', property, item]) => {
    const found = localValues(name, use);
    const isText = item === undefined && (property === undefined || OF_TEXT.test(property));
    if (found.kind === 'unknown') return isText && isParameter(name, use);
    const others = found.values.filter((value) => !isOfItself(value, name));
    if (steps > 0 && others.some((value) => isOfCaller(value, use, steps - 1))) return true;
    return others.length < found.values.length && isText && isParameter(name, use);
  });
};

export const isCallersText = (code: string, use: Use): boolean =>
  isVisiblyForeign([{ code, before: '' }], 'outside', use) ||
  (hasExports(use) && isOfCaller(code, use, MAX_STEPS) && !isInternal(use));
