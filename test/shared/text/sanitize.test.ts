import { describe, expect, it } from 'vitest';
import { sanitize, sanitizeSuggestion } from '../../../shared/text/sanitize.ts';
import { liveMarkupIn, mentionsIn } from '../../support/live-markup.ts';
import { QUICK_ACTIONS, quickActionsIn } from '../../support/quick-actions.ts';
import { CANARY, FORGE, OPTIONS } from './sanitize-fixture.ts';

const bodyOf = (text: string): string => sanitize(text, OPTIONS).body;
/** As a reader sees it. */
const seen = (body: string): string => body.replaceAll('\u200b', '');

type Disguise = readonly [name: string, wrap: (action: string) => string];

const DISGUISES: readonly Disguise[] = [
  ['at the start', (action) => `/${action}`],
  ['with an argument', (action) => `/${action} ~urgent @all`],
  ['after a carriage return', (action) => `text\r/${action}`],
  ['with a carriage return inside', (action) => `/${action.slice(0, 2)}\r${action.slice(2)}`],
  ['with a carriage return before the name', (action) => `/\r${action}`],
  ['in upper case', (action) => `/${action.toUpperCase()}`],
  ['in a backtick fence', (action) => `\`\`\`\n/${action}\n\`\`\``],
  ['in a tilde fence', (action) => `~~~\n/${action}\n~~~`],
  ['in a fence of four', (action) => `\`\`\`\`\n\`\`\`\n/${action}\n\`\`\`\`\``],
  ['in an unclosed fence', (action) => `\`\`\`\n/${action}`],
  ['after a fence closed with a trailing blank', (action) => `\`\`\`\ncode\n\`\`\` \n/${action}`],
  ['after a fence with an indented close', (action) => `\`\`\`\ncode\n     \`\`\`\n/${action}`],
  ['in a list', (action) => `- item\n/${action}\n- /${action}`],
  ['in a quote', (action) => `> quoted\n/${action}\n> /${action}`],
  ['in a long quote', (action) => `>>>\n/${action}\n>>>`],
  ['in details', (action) => `<details>\n\n/${action}\n\n</details>`],
  ['in a table', (action) => `| a |\n|---|\n/${action} |`],
  ['in an HTML comment', (action) => `<!--\n/${action}\n-->`],
  ['behind a no-break space', (action) => `\u00a0/${action}`],
  ['behind a vertical tab', (action) => `text\u000b/${action}`],
  ['behind a form feed', (action) => `\u000c/${action}`],
  ['behind U+2028', (action) => `text\u2028/${action}`],
  ['behind U+2029', (action) => `text\u2029/${action}`],
  ['behind NEL', (action) => `text\u0085/${action}`],
  ['behind a byte order mark', (action) => `\ufeff/${action}`],
  ['behind a zero-width blank', (action) => `\u200b/${action}`],
  ['behind a tab and blanks', (action) => `  \t /${action}`],
  ['after our own kind of break', (action) => `/\u200b${action}`],
  ['in front matter', (action) => `---\n/${action}\n---`],
];

describe('P2: no quick action survives in any disguise', () => {
  const cases = DISGUISES.flatMap(([name, wrap]) =>
    QUICK_ACTIONS.map((action) => ({ name, text: wrap(action), action })),
  );

  it('is judged on at least 1,500 bodies, each of which the judge condemns as it comes', () => {
    expect(cases.length * 2).toBeGreaterThanOrEqual(1_500);
    const harmless = cases.filter(({ text }) => quickActionsIn(text).length === 0).map(({ name }) => name);
    expect([...new Set(harmless)]).toEqual(['after our own kind of break']);
  });

  it('in a summary or finding, where the text stays readable', () => {
    const lost = cases.filter(({ text, action }) => {
      const body = bodyOf(text);
      const letters = seen(body).replaceAll('[U+000D]', '').toLowerCase();
      return quickActionsIn(body).length > 0 || !letters.includes(`/${action}`);
    });
    expect(lost).toEqual([]);
  });

  it('in a suggestion, which becomes a plain code block', () => {
    const fence = '`'.repeat(6);
    const live = cases.filter(({ text }) => {
      const { body } = sanitizeSuggestion(`${fence}suggestion:-0+0\n${text}\n${fence}`, OPTIONS);
      return quickActionsIn(body).length > 0 || body.includes('suggestion');
    });
    expect(live).toEqual([]);
  });
});

describe('P4: nothing is rendered that loads, links or draws', () => {
  it.each([
    ['an image', '![x](https://evil.example/?d=1)'],
    ['an image over a reference', '![x][r]\n\n[r]: https://evil.example/'],
    ['raw HTML', '<img src="https://evil.example/"> <script>x</script> <iframe src=//evil.example> <a href=x>y</a>'],
    ['HTML over lines', 'text <img\nsrc=x\nonerror=y>'],
    ['HTML in a table cell that looks like code', '| a |\n|---|\n| `x|<img src=x>` |'],
    ['HTML behind an unpaired backtick', 'one ` two\nthree ` <img src=x> `'],
    ['a link', '[text](https://evil.example/?d=1 "title")'],
    ['a link in angle brackets', '[text](<https://evil.example/>)'],
    ['a relative link', '[text](/users/sign_out)'],
    ['a scheme that runs', '[text](javascript:alert(1)) [b](data:text/html;base64,QUJD)'],
    ['a reference link', '[text][r] [r]\n\n[r]: https://evil.example/'],
    ['an autolink', '<https://evil.example/> and <mailto:a@evil.example>'],
    ['a bare address', 'https://evil.example/?d=1 http://evil.example www.evil.example ftp://evil.example'],
    ['the forge as a prefix', `https://forge.example.evil.example/git/ ${FORGE}@evil.example/ ${FORGE}.evil.example/`],
    ['a footnote', 'text[^1]\n\n[^1]: https://evil.example/'],
    ['a formula', '$a$ $$b$$ $`c`$ \\(d\\) \\[e\\]'],
    ['a table of contents', '[[_TOC_]]\n\n[TOC]'],
    ['an include', '::include{file=https://evil.example/x}\n:::include'],
    ['entities', '&lt;img src=x&gt; &#60;img&#62; &#x3c;'],
  ])('not %s', (_name, text) => {
    expect(liveMarkupIn(text, FORGE)).not.toEqual([]);
    expect(liveMarkupIn(bodyOf(text), FORGE)).toEqual([]);
  });

  it('leaves no half of a link whose address is taken apart', () => {
    for (const text of [`](${FORGE}/a/b)~~~)`, `[x](${FORGE}/a/b)~~~)`]) {
      expect(liveMarkupIn(bodyOf(text), FORGE)).toEqual([]);
      expect(bodyOf(text)).not.toContain('](');
    }
  });

  it.each([
    'mermaid',
    'plantuml',
    'math',
    'suggestion',
    'suggestion:-0+3',
    'json:table',
    'kroki',
    'js {.x onload=y}',
    'yaml:x',
  ])('writes a fence of %s as plain code', (info) => {
    const tag = info.startsWith('js ') ? 'js' : '';
    expect(bodyOf(`\`\`\`${info}\ngraph TD\n\`\`\``)).toBe(`\`\`\`${tag}\ngraph TD\n\`\`\``);
  });

  it('not an address that a renderer puts together from escapes', () => {
    expect(bodyOf('https:\\/\\/evil.example https\\://evil.example')).toBe(
      'https:\\\u200b/\\\u200b/evil.example https\\\u200b://evil.example',
    );
  });

  it('not an address of the forge that could carry data or act', () => {
    expect(bodyOf(`${FORGE}/redirect?to=x`)).toBe(`\`${FORGE}/redirect?to=x\``);
    expect(bodyOf(`[x](${FORGE}/redirect?to=x)`)).not.toContain('](');
  });

  it('not what an address of the forge would run over: backticks behind it, or a reference within', () => {
    expect(bodyOf(`${FORGE}/a"\`<img src=x>\``)).toBe(`\`${FORGE}/a\`"\`<img src=x>\``);
    expect(bodyOf(`${FORGE}/a\`<img src=x>\``)).toBe(`\`${FORGE}/a\` \`<img src=x>\``);
    expect(bodyOf(`[x](${FORGE}/a)\`b\``)).not.toContain('](');
    expect(bodyOf(`${FORGE}/a#1`)).toBe(`\`${FORGE}/a#1\``);
  });

  it.each(['---', '+++', ';;;'])('not front matter behind %s, which is read across code fences', (mark) => {
    expect(bodyOf(`\n${mark}\na: b\n${mark}`)).toBe(`\n\\${mark}\na: b\n${mark}`);
  });

  it('not a long quote, in prose or in code', () => {
    expect(bodyOf('>>>\nx\n```\n >>> \n```')).toBe(
      '>\u200b>>\nx\n```\n >\u200b>> \n```\n_(Invisible characters were added to the code above: it cannot be copied as it is.)_',
    );
  });

  it('shows hidden and bidirectional characters as code points', () => {
    expect(bodyOf('a\u202eb\u200bc\u{e0041}d\u0007')).toBe('a[U+202E]b[U+200B]c[U+E0041]d[U+0007]');
  });
});

describe('P5: no mention, reference, closing word or trigger is live', () => {
  it.each([
    '@all',
    '@user',
    'cc @group/sub',
    '@other-bot review',
    '@fixpoint review --full',
    '`@other-bot merge`',
    '\\@all',
    '@_x',
  ])('breaks %s', (text) => {
    expect(mentionsIn(bodyOf(text))).toEqual([]);
    expect(mentionsIn(bodyOf(`\`\`\`\n${text}\n\`\`\``))).toEqual([]);
    expect(seen(bodyOf(text))).toBe(text);
  });

  it.each(['&#64;all', '&#x40;all', '&commat;all', '@&#97;ll'])('breaks the entity in %s', (text) => {
    expect(bodyOf(text)).toMatch(/&\u200b/);
  });

  it.each(['closes #1', 'Fixes group/proj!5', 'resolves group/proj#12', '&4', 'fixes ABC-12', '[issue:12]'])(
    'breaks %s',
    (text) => {
      expect(bodyOf(text)).toMatch(/[#!&[-]\u200b/);
      expect(seen(bodyOf(text))).toBe(text);
    },
  );

  it('puts the address of an issue in code, since closing words act on it', () => {
    expect(bodyOf(`Closes ${FORGE}/a/-/issues/1`)).toBe(`Closes \`${FORGE}/a/-/issues/1\``);
  });

  it('lets only the named account be called, in full', () => {
    expect(mentionsIn(bodyOf('@on-call @On-Call, @on-call. (@on-call)'))).toEqual([
      '@on-call',
      '@On-Call',
      '@on-call.',
      '@on-call',
    ]);
    expect(mentionsIn(bodyOf('@on-call-x @on-call/all @on @on-cal @xon-call'))).toEqual([]);
    expect(mentionsIn(sanitize('@on-call', { ...OPTIONS, mayMention: [] }).body)).toEqual([]);
  });

  it.each([
    ['write `@bot review` or `@Bot fix`', ['@bot', '@Bot']],
    ['- `@bot dismiss F-001 because …`: closes it', ['@bot']],
    ['@bot review', []],
    ['`x @bot review`', []],
    ['`x`@bot review', []],
    ['```\n`@bot review`\n```', []],
    ['`x` y`@bot review', []],
    ['``@bot review``', []],
    ['`@bot-ci review` `@bots` `@bot/all`', []],
    ['`@other review`', []],
    ['a tick alone: `@bot review', []],
    ['an escaped one: \\`@bot review', []],
  ])('shows a command of its own only where code begins with it: %j', (text, shown) => {
    const options = { ...OPTIONS, mayShow: ['bot'] };
    const { body } = sanitize(text, options);
    expect(mentionsIn(body)).toEqual(shown);
    expect(sanitize(body, options).body).toBe(body);
    expect(mentionsIn(bodyOf(text))).toEqual([]);
  });
});

describe('sanitize', () => {
  it.each([
    '# Heading\n\nText with **bold**, _stress_ and `Map<string, number>`; a < b && c > d.\n\n- one\n- two\n\n1. three',
    '| a | b |\n| --- | --- |\n| `x` | y |',
    '```ts\nconst list: Array<string> = []; // see [1](x) and $y\n\n```\n\nText.',
    `See [the code](${FORGE}/a/b/src/branch/main/x.ts#L3) and ${FORGE}/a/b.`,
    '> quoted\n\n- [ ] task\n\n---\n\nUTF-8, SHA-256, F-001, ⚠️ and `/usr/bin/env`',
  ])('leaves ordinary markdown as it is: %j', (text) => {
    expect(sanitize(text, OPTIONS)).toEqual({ body: text, redactions: 0 });
  });

  it.each([
    ['a table', '| Place |\n| --- |\n| `src/bad96974.js` |'],
    ['a table behind a text', '| F-001 See src/a.js | P1 | `src/bad96974.js` | open |\n| --- | --- | --- | --- |'],
    ['a row with an escaped pipe', '| a | b |\n| - | - |\n| `a\\|b` | `Map<string, number> \\| bad96974` |'],
    ['a row with two backticks', '| a |\n|---|\n| ``a `bad96974` <b>`` |'],
    ['a table without a pipe at the edge', 'a | b\n:-: | -\n`#1` | `!5 && $1`'],
    ['a table in a quotation', '> | a |\n> | - |\n> | `bad96974` |'],
    ['a line with pipes that is none of a table', 'Use `a || <T>(b)` in place of `!1 || bad96974`.'],
    ['a table and a line behind it', '| a |\n| - |\n| `#1` |\n\nUse `x || #1`.'],
    ['a line with pipes before a fence', '```\n|-|\n```\nUse `x || #1`.'],
    ['a heading', '### `src/bad96974.js`'],
    ['a list', '- `src/bad96974.js`: `#1`\n  - [ ] `!5`'],
    ['a quotation', '> `src/bad96974.js`'],
    ['the text of a link', `See [\`bad96974\`](${FORGE}/a/b/src/branch/main/bad.js).`],
    ['bold words', '**`bad96974`** and _`#1`_'],
    ['two backticks', '``src/bad96974.js `#1` ``'],
  ])('F-B7: leaves the code in %s as it is', (_where, text) => {
    expect(bodyOf(text)).toBe(text);
  });

  it.each([
    ['a span that a row cuts', '| a | b |\n| - | - |\n| `x|<img src=x> #1` |'],
    ['a span behind one that a row cuts', '| a | b |\n| - | - |\n| `x|y` `#1` z |'],
    ['a pipe behind two backslashes', '| a | b |\n| - | - |\n| `x\\\\|<img src=x>` |'],
    ['a header that is cut', '`x|<img src=x>`\n--|--'],
    ['a table in a quotation', '> `x|<img src=x>`\n> -|-'],
    ['a table in a list', '1. `x|<img src=x>`\n   -|-'],
  ])('breaks what looks like code and is none: %s', (_where, text) => {
    expect(liveMarkupIn(text, FORGE)).not.toEqual([]);
    expect(liveMarkupIn(bodyOf(text), FORGE)).toEqual([]);
    expect(bodyOf(bodyOf(text))).toBe(bodyOf(text));
  });

  it('puts foreign addresses in code and keeps the words of links', () => {
    expect(seen(bodyOf('See [docs](https://docs.example/a), https://b.example/c.'))).toBe(
      'See [docs](`https://docs.example/a`), `https://b.example/c`.',
    );
  });

  it('writes fences anew at column 0, longer than what they hold, and closed', () => {
    expect(bodyOf('1. step\n   ```js\n   a()\n     b()\n   ```\n~~~~\n```\n~~~')).toBe(
      '1. step\n```js\na()\n  b()\n```\n````\n```\n~~~\n````',
    );
  });

  it('redacts what takes the form of a credential only as the text is written anew', () => {
    const token = ['glp', 'at-', 'aB3'.repeat(7)].join('');
    expect(sanitize(`x\u200b${token}`, OPTIONS)).toEqual({ body: 'x[U+200B][redacted]', redactions: 1 });
  });

  it('says so when it cuts, and closes what the cut left open', () => {
    const { body } = sanitize(`\`\`\`js\n${'line\n'.repeat(200)}\`\`\``, { ...OPTIONS, maxLength: 300 });
    expect(body.length).toBeLessThanOrEqual(300);
    expect(body).toMatch(/^```js\n(?:line\n)+```\n\n_\(Cut here: the text was longer than 300 characters\.\)_$/);
  });

  it.each([
    ['backticks', '`'.repeat(200_000)],
    ['growing runs', Array.from({ length: 600 }, (_, index) => '`'.repeat(index)).join(' ')],
    ['openers', '[x](https://'.repeat(8_000)],
    ['a scheme', `${'a'.repeat(200_000)}:`],
    ['dots', `https://a${'.'.repeat(200_000)}x`.repeat(2)],
    ['blanks', `${' '.repeat(200_000)}x`],
    ['line starts', `${'>'.repeat(200_000)}/`],
    ['fences', '```\n'.repeat(50_000)],
    ['markers', '<!-- fixpoint:1 '.repeat(20_000)],
    ['mentions', '@a'.repeat(100_000)],
    ['key beginnings', `${'-'.repeat(5)}BEGIN PRIVATE KEY${'-'.repeat(5)}`.repeat(8_000)],
    ['token beginnings', 'eyJ'.repeat(60_000)],
    ['zero-width blanks', '\u200b'.repeat(50_000)],
    ['backslashes', '\\'.repeat(200_000)],
    ['closing words', 'fix '.repeat(50_000)],
  ])('keeps within its bounds on hostile %s', (_name, text) => {
    expect(sanitize(text, { ...OPTIONS, maxLength: 100_000 }).body.length).toBeLessThanOrEqual(100_000);
  });
});

describe('sanitizeSuggestion', () => {
  const suggestion = '```suggestion:-1+0\n@Override\n\treturn a / b; // $x <y> #1\n```';

  it('passes a faithful block to the last character', () => {
    expect(sanitizeSuggestion(suggestion, OPTIONS)).toEqual({ body: suggestion, redactions: 0 });
    const deletion = '```suggestion:-1+0\n```';
    expect(sanitizeSuggestion(deletion, OPTIONS)).toEqual({ body: deletion, redactions: 0 });
  });

  it.each([
    ['behind tildes', '~~~suggestion\na\n~~~'],
    ['over many lines', '```suggestion:-12+1234\na\n```'],
    ['as long as a comment may be', `\`\`\`suggestion\n${'a'.repeat(OPTIONS.maxLength - 18)}\n\`\`\``],
  ])('passes one %s', (_name, block) => {
    expect(sanitizeSuggestion(block, OPTIONS)).toEqual({ body: block, redactions: 0 });
  });

  it.each([
    ['a secret', `key = "${CANARY}"`],
    ['a hidden character', 'a\u202eb'],
    ['a marker', '<!-- fixpoint:1 QQ==.00 -->'],
    ['a command', '  /approve'],
    ['a line that closes it', 'a\n```\n/x'],
  ])('makes plain code of one with %s', (_name, code) => {
    const { body } = sanitizeSuggestion(`\`\`\`suggestion\n${code}\n\`\`\``, OPTIONS);
    expect(body).toMatch(/^`{3,}\n/);
    expect(body).not.toMatch(/suggestion|fixpoint:1 QQ==.00 -->$/);
    expect(quickActionsIn(body)).toEqual([]);
  });

  it('keeps what a line within would close in one code block', () => {
    expect(sanitizeSuggestion('```suggestion\na\n```\nb\n```', OPTIONS).body).toBe('````\na\n```\nb\n````');
  });

  it('makes plain code of one that is longer than a comment may be, and cuts it', () => {
    const { body } = sanitizeSuggestion(`\`\`\`suggestion\n${'a'.repeat(200)}\n\`\`\``, { ...OPTIONS, maxLength: 150 });
    expect(body).toMatch(/^```\na+\n```\n\n_\(Cut here: the text was longer than 150 characters\.\)_$/);
  });

  it('treats anything else as text', () => {
    expect(sanitizeSuggestion('/merge', OPTIONS).body).toBe('/\u200bmerge');
    expect(sanitizeSuggestion('a\n```suggestion\nb\n```', OPTIONS).body).toBe('a\n```\nb\n```');
  });
});
