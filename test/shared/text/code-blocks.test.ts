import { describe, expect, it } from 'vitest';
import { codeFence, languageTag } from '../../../shared/text/code-fence.ts';
import { sanitize } from '../../../shared/text/sanitize.ts';
import { FORGE, OPTIONS } from './sanitize-fixture.ts';

const BREAK = '\u200b';
const ALTERED = '_(Invisible characters were added to the code above: it cannot be copied as it is.)_';
const bodyOf = (text: string): string => sanitize(text, OPTIONS).body;
const fenced = (...lines: readonly string[]): string => codeFence(lines.join('\n'));

describe('a code block', () => {
  it.each<[string, string, string]>([
    ['keeps its lines and its language', '```ts\na b\n  c\n```', '```ts\na b\n  c\n```'],
    [
      'loses the indent of its fence, and no more',
      '  ```\n  a b\n      c d\ne f\n  ```',
      fenced('a b', '    c d', 'e f'),
    ],
    ['keeps a plain language behind tildes', '~~~ py\na\n~~~', '```py\na\n```'],
    ['loses a language that draws', '~~~ mermaid\na\n~~~', fenced('a')],
    ['is closed at the end of the text', '```\na', fenced('a')],
    ['is closed by a longer fence', '```\na\n`````', fenced('a')],
    ['is not closed by a shorter fence', '````\n```\na\n````', fenced('```', 'a')],
    ['is not closed by the other kind of fence', '```\n~~~\na\n```', fenced('~~~', 'a')],
    ['does not begin with a backtick behind the fence', '``` a`b\nc', '\\`\\`\\` a\\`b\nc'],
  ])('%s', (_name, text, body) => {
    expect(bodyOf(text)).toBe(body);
  });

  it.each([
    ['a marker of ours', '<!-- fixpoint:x -->', `<!${BREAK}-- fixpoint:x -->`],
    ['an include directive', '  ::include{file=x}', `  :${BREAK}:include{file=x}`],
    ['the fence of a long quote', '>>>', `>${BREAK}>>`],
    ['a command', '/merge now', `/${BREAK}merge now`],
  ])('is altered in %s, and says so once, however often it is sanitized', (_name, line, altered) => {
    const body = bodyOf(fenced('a', line, 'b'));
    expect(body).toBe(`${fenced('a', altered, 'b')}\n${ALTERED}`);
    expect(bodyOf(body)).toBe(body);
    expect(bodyOf(`${body}\ntext`)).toBe(`${body}\ntext`);
  });

  it.each([
    ['a comment', '<!-- a -->'],
    ['a quote within a quote', '>>> a'],
    ['a path', '/usr/bin/env node'],
    ['a scope operator', '::std'],
  ])('is not altered in %s', (_name, line) => {
    expect(bodyOf(fenced(line))).toBe(fenced(line));
  });
});

describe('a line of prose', () => {
  it('keeps a quote within a quote', () => {
    expect(bodyOf('>>> text')).toBe('>>> text');
  });

  it('shows in a code span the beginning of a comment, which is none there', () => {
    expect(bodyOf('see `<!-- a -->`')).toBe(`see \`<!${BREAK}-- a -->\``);
  });

  it('cannot hold a directive', () => {
    expect(bodyOf('::include{file=x}')).toBe(`:${BREAK}:include{file=x}`);
  });

  it('that may be the row of a table has no code span around a foreign address', () => {
    const text = 'at https://other.example | b';
    expect(bodyOf(text)).toBe('at `https://other.example` | b');
    const inTable = `at https:${BREAK}//other.example | b`;
    expect(bodyOf(`a | b\n--|--\n${text}\n\n${text}`)).toBe(
      `a | b\n--|--\n${inTable}\n\nat \`https://other.example\` | b`,
    );
  });

  it('of a table that cuts a code span keeps links to the forge, and has nothing else that acts', () => {
    const rowOf = (cells: string): string => `a | b | c\n--|--|--\n\`x|y\` | ${cells}`;
    const link = `[x](${FORGE}/a/-/blob/bad96974/x.ts) ${FORGE}/a/-/blob/bad96974/x.ts`;
    expect(bodyOf(rowOf(link))).toBe(rowOf(link));
    expect(bodyOf(rowOf('$a$ https:\\/\\/other.example'))).toBe(
      rowOf(`\\$a\\$ https:\\${BREAK}/\\${BREAK}/other.example`),
    );
  });

  it('with a dash and a pipe makes no table of the lines around it', () => {
    const text = 'Not `a || <T>(b)` - but `<T>(b) || a`.';
    expect(bodyOf(text)).toBe(text);
  });

  it.each([
    ['https', FORGE],
    ['http', FORGE.replace('https:', 'http:')],
  ])('keeps a link to the forge over %s', (_name, forgeBaseUrl) => {
    const link = `see [the file](${forgeBaseUrl}/a/b/-/blob/main/x.ts)`;
    expect(sanitize(link, { ...OPTIONS, forgeBaseUrl }).body).toBe(link);
  });
});

describe('languageTag', () => {
  it.each(['text', 'nginx', 'c', 'd', 'javascript', 'yml', 'toml', 'matlab', 'elixir', 'asm', 'terraform', 'wasm'])(
    'keeps %s, which is plain code',
    (language) => {
      expect(languageTag(language)).toBe(language);
    },
  );
});
