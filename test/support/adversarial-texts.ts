/** Texts that may make a parser slow: pieces of every syntax, repeated. */

export const MARKDOWN: readonly string[] = [
  ['<', '<?', '<!--', '<!A', '<![CDATA[', '<a', '<a b="', "<a b='", '</a', '<a:', '<http://', '<a\n', '<?\n', '<"'],
  ['<b></b>', '<!-- a -->', '<br/>', '<pre>', '</pre>', '<q>', '<div>\n', '<div>\n\n', '<?\n\n', '<`', '`<', '<['],
  ['[', '![', '[]', '[](', '](', '[a](', '[a](<', '[a](b "', "[a](b '", '[a](b (', '[a][', '[^a]', '[[', '[\\]'],
  ['[a]: ', '[a]: b\n', '[a]: b\n\n', '[a]: b "', '[a]: b (', '[a]:\n', '[a]\n', '[a](b)', '![a](b)', '[`', '[\n'],
  ['*', '_', '**', '*a', '**a* ', 'a***b*c ', '_a_', '~', '~a~', '~~~\n', '`', '``` a\n', '```\n', '` ``', '`a', '`\n'],
  ['>', '> ', '>\n', '>>>\n', '> a\n', '> a\n\n', '> [', '> `\n', '> <?\n', '> > ', '> - ', '- ', '- a\n', '- a\n\n'],
  ['- <?\n', '- [\n', '- - ', '  - a\n', '-   a\n\n    b\n', '1. ', '1. a\n', '1) ', '+\n', '- > \n', '- - \n'],
  ['|a|b\n', '|-|-|\n', 'a\n', 'a\n\n', 'a\n=\n', 'a\n-\n', '---\n', '# ', '# a\n', '    a\n', '  \n'],
].flat();

const SIGNS: readonly string[] = [
  [
    '@',
    '@x',
    '@fixpoint ',
    '@fixpoint\n',
    '@fixpoint review\n',
    '@a.b-',
    'a@b.c ',
    '#',
    '#1',
    '!1',
    '$',
    '%',
    '^',
    '~a ',
  ],
  ['&', '&a', '&#', '&#x', '&amp;', '\\', '\\\n', '\\[', '\\`', '\0', '\r', '\r\n', '\n', '\t', '\ta\n', ' ', 'a '],
  [
    'a',
    'aaaa.',
    'a-',
    '\u0301',
    'e\u0301',
    '\u200b',
    '\u202e',
    '😀',
    '\ud800',
    'www.a.b ',
    'http://a.b ',
    'http://a:b@c ',
  ],
  ['(', ')', '"', "'", ':', '::', ': ', '/a\n', '/', '=', '= ', '{', '}', '[{', '{"a":', ',', '1', '-', '.', '..', ';'],
].flat();

const DASHES = '-'.repeat(5);

/** Starts of our own markers, and of file formats that we parse. */
const FORMATS: readonly string[] = [
  ['<!-- fixpoint:', '<!-- fixpoint:1 ', '<!-- fixpoint:1 a b -->', '--> ', 'F-001 ', 'closes A-', 'fixes #1 ', 'sk-'],
  ['eyJ', 'eyJaaaaaaaa.', 'AKIA', 'ghp_', 'bearer ', '://a:', `${DASHES}BEGIN PRIVATE KEY${DASHES}\n`],
  [`${DASHES}BEGIN PRIVATE KEY${DASHES}\n${DASHES}END PRIVATE KEY${DASHES}\n`, `${DASHES}END PRIVATE KEY${DASHES}\n`],
  ['```suggestion\n', 'Suggested instead:\n\n```\n', 'password = "', 'API_TOKEN=', 'postgres://a:', '.test.', '/test_'],
  ['diff --git a/a b/a\n', '--- a\n', '+++ b\n', '@@ -1 +1 @@\n', '@@ -1,9 +1,9 @@\n', '+a\n', 'index 1..2\n', '"a\\'],
  ['a: ', 'a:\n ', '- a: ', '&a ', '*a ', '? ', '[a, ', '{a: ', '| \n', '!!a ', '[a]\n', 'a = [', 'a."', '"""', "'''"],
  [
    '**/',
    '*a*',
    '{a,b}',
    '{a,',
    '[a-',
    '[!',
    '?*',
    '+(a)',
    '(a|',
    '// fixpoint-',
    '# nosec\n',
    'a text=auto\n',
    '* -diff\n',
  ],
].flat();

export const PIECES: readonly string[] = [...new Set([...MARKDOWN, ...SIGNS, ...FORMATS])];

/** Characters for long runs: when something else follows the run, a pattern may backtrack to every position in it. */
const RUNS = [...Array.from(' \t\n\r./-_*`~#@!&<>[](){}:;,=+|\\"\'$%^a0'), '\u200b', '\ufe0f', '=>', '\0'];

/** Prefixes of runs, after which a parser may accept more than one character. */
const BEFORE = ['x', '- [ ] ', '"', '=> ', ') ', '`', 'http://', '[a](', 'a: ', '+'];
const SOME_RUNS = Array.from(' ./-`)(*\\a');

export const repeated = (piece: string, characters: number): string =>
  piece.repeat(Math.max(1, Math.floor(characters / piece.length)));

export type Adversarial = { readonly name: string; readonly make: (characters: number) => string };

const named = (before: string, run: string, after: string): string =>
  `${JSON.stringify(before)} ${JSON.stringify(run)}… ${JSON.stringify(after)}`;

const running = (before: string, run: string): Adversarial => ({
  name: named(before, run, 'x!'),
  make: (characters) => `${before}${repeated(run, characters)}x!`,
});

const runs: readonly Adversarial[] = [
  ...['', '@a'].flatMap((before) => RUNS.map((run) => running(before, run))),
  ...BEFORE.flatMap((before) => SOME_RUNS.map((run) => running(before, run))),
];

const PAIRS: readonly (readonly [string, string])[] = [
  ['[', ']'],
  ['(', ')'],
  ['{', '}'],
  ['<', '>'],
  ['{"a":', '}'],
  ['[', '['],
  ['`', '`'],
  ['*', '*'],
  ['_', '_'],
  ['~', '~'],
  ['"', '"'],
  ['<a>', '</a>'],
  ['> ', '\n'],
  ['- ', '\n'],
  ['$(', ')'],
  ['/*', '*/'],
  [' ', '\n'],
  ['if (', ')'],
  ['a(', ')'],
];

const nested: readonly Adversarial[] = PAIRS.map(([open, close]) => ({
  name: `${JSON.stringify(open)}… a ${JSON.stringify(close)}…`,
  make: (characters) => {
    const count = Math.max(2, Math.floor(characters / (open.length + close.length)));
    return `${open.repeat(count)}a${close.repeat(count - 1)}`;
  },
}));

const counted = (name: string, one: (index: number) => string): Adversarial => ({
  name,
  make: (characters) => {
    const parts: string[] = [];
    for (let length = 0, index = 1; length < characters; index += 1) {
      const part = one(index);
      parts.push(part);
      length += part.length;
    }
    return parts.join('');
  },
});

/** All parts differ, so that caching does not help. */
const different: readonly Adversarial[] = [
  counted('lines, all different', (index) => `${index}\n`),
  counted('words, all different', (index) => `w${index} `),
  counted('runs of backticks, each longer', (index) => `${'`'.repeat(index)} `),
  counted('fences, each longer', (index) => `${'`'.repeat(index + 2)}\n`),
  counted('indents, each deeper', (index) => `${' '.repeat(index)}- a\n`),
  counted('definitions, all different', (index) => `[a${index}]: b\n`),
  counted('references, all different', (index) => `[a${index}] `),
  counted('keys, all different', (index) => `k${index}: 1\n`),
  counted('tables of TOML, all different', (index) => `[t${index}]\n`),
  counted('settings of TOML, all different', (index) => `k${index} = 1\n`),
  counted('attributes, all different', (index) => `*.a${index} -diff\n`),
  counted('tags, all different', (index) => `<a${index}>`),
  counted('mentions, all different', (index) => `@m${index} `),
  counted('objects of JSON', (index) => `{"k${index}": "v"}\n`),
  counted('functions', (index) => `function f${index}() { eval(x${index}); }\n`),
];

export const ADVERSARIAL: readonly Adversarial[] = [
  ...PIECES.map((piece) => ({
    name: JSON.stringify(piece),
    make: (characters: number) => repeated(piece, characters),
  })),
  ...runs,
  ...nested,
  ...different,
];
