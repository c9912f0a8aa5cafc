/** Texts made to keep a parser busy: pieces of every syntax, repeated. */

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

/** What begins something of ours, or of a file format that we read. */
const FORMATS: readonly string[] = [
  ['<!-- fixpoint:', '<!-- fixpoint:1 ', '<!-- fixpoint:1 a b -->', '--> ', 'F-001 ', 'closes A-', 'fixes #1 ', 'sk-'],
  ['eyJ', 'eyJaaaaaaaa.', 'AKIA', 'ghp_', 'bearer ', '://a:', `${'-'.repeat(5)}BEGIN PRIVATE KEY${'-'.repeat(5)}\n`],
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

/** About `characters` long. */
export const repeated = (piece: string, characters: number): string =>
  piece.repeat(Math.max(1, Math.floor(characters / piece.length)));
