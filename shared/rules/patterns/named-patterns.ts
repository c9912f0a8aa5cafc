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

export const parsePattern = (code: string): Pattern | null => {
  const [, source, flags] = LITERAL.exec(code.trim()) ?? [];
  return source === undefined || flags === undefined ? null : { source, flags };
};

/** The patterns of each name, wherever it is bound in the file. */
export const namedPatterns = (text: string): ReadonlyMap<string, readonly Pattern[]> => {
  const found = new Map<string, Pattern[]>();
  let count = 0;
  for (const [, name = '', source = '', flags = ''] of text.matchAll(BOUND)) {
    count += 1;
    if (count > MAX_NAMED) break;
    found.set(name, [...(found.get(name) ?? []), { source, flags }]);
  }
  return found;
};

/** The last names of the expressions that the code consists of: `B` and `d` of `a ? B : c.d`. */
export const lastNames = (code: string): readonly string[] =>
  [...code.slice(0, 300).matchAll(/(?<![\w$])[A-Za-z_$][\w$]{0,60}(?![\w$]|\s{0,9}(?:[.(?]|\?\.))/g)].map(
    ([name]) => name,
  );
