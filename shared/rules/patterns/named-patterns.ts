/** Regular expressions that a JavaScript file binds to a name, found without a parser. */

export type Pattern = { readonly source: string; readonly flags: string };

const BODY = '((?:\\\\[^\\n]|\\[(?:\\\\[^\\n]|[^\\]\\\\\\n]){1,300}\\]|[^/\\\\\\n[]){1,500})';
const LITERAL = new RegExp(`^/(?![*/])${BODY}/([dgimsuvy]{0,8})$`);
/** `name = /…/` and `name: /…/`, on one line or with the pattern on the next. */
const BOUND = new RegExp(
  `(?<![\\w$])([A-Za-z_$][\\w$]{0,60})\\s{0,3}[:=]\\s{0,80}/(?![*/])${BODY}/([dgimsuvy]{0,8})(?![\\w$])`,
  'g',
);
const MAX_NAMED = 500;

/** `new RegExp("…", "g")` with nothing but literals. */
const CONSTRUCTION = `(?:new\\s{1,9})?RegExp\\(\\s{0,80}("(?:[^"\\\\\\n]|\\\\.){1,600}"|'(?:[^'\\\\\\n]|\\\\.){1,600}')\\s{0,80}(?:,\\s{0,80}["']([dgimsuvy]{0,8})["']\\s{0,9})?\\)`;
const CONSTRUCTED = new RegExp(`^${CONSTRUCTION}$`);
const BOUND_CONSTRUCTED = new RegExp(
  `(?<![\\w$])([A-Za-z_$][\\w$]{0,60})\\s{0,3}[:=]\\s{0,80}${CONSTRUCTION}(?!\\s{0,9}\\.)`,
  'g',
);
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', b: '\b' };

/** What the characters between the quotes of a string stand for. */
export const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, sign: string) => CONTROLS[sign] ?? sign);

const ofText = (quoted: string, flags = ''): Pattern => ({ source: unescaped(quoted.slice(1, -1)), flags });

export const parsePattern = (code: string): Pattern | null => {
  const text = code.trim();
  const [, source, flags] = LITERAL.exec(text) ?? [];
  if (source !== undefined && flags !== undefined) return { source, flags };
  const [, quoted, given] = CONSTRUCTED.exec(text) ?? [];
  return quoted === undefined ? null : ofText(quoted, given);
};

/** The patterns of each name, wherever it is bound in the file. */
export const namedPatterns = (text: string): ReadonlyMap<string, readonly Pattern[]> => {
  const found = new Map<string, Pattern[]>();
  let count = 0;
  const add = (name: string, pattern: Pattern): void => {
    count += 1;
    if (count <= MAX_NAMED) found.set(name, [...(found.get(name) ?? []), pattern]);
  };
  for (const [, name = '', source = '', flags = ''] of text.matchAll(BOUND)) add(name, { source, flags });
  for (const [, name = '', quoted = '', flags] of text.matchAll(BOUND_CONSTRUCTED)) add(name, ofText(quoted, flags));
  return found;
};

const MAX_IN_TABLE = 60;
/** A pattern that begins an item of a list, or the value of a key. */
const ITEM = new RegExp(`[[,:{]\\s{0,200}/(?![*/])${BODY}/([dgimsuvy]{0,8})(?![\\w$])`, 'g');

/** The patterns that are written out in a list or an object. */
export const literalPatterns = (code: string): readonly Pattern[] => {
  const found: Pattern[] = [];
  for (const [, source = '', flags = ''] of code.matchAll(ITEM)) {
    found.push({ source, flags });
    if (found.length >= MAX_IN_TABLE) break;
  }
  return found;
};

/** The last names of the expressions that the code consists of: `B` and `d` of `a ? B : c.d`. */
export const lastNames = (code: string): readonly string[] =>
  [...code.slice(0, 300).matchAll(/(?<![\w$])[A-Za-z_$][\w$]{0,60}(?![\w$]|\s{0,9}(?:[.(?]|\?\.))/g)].map(
    ([name]) => name,
  );
