import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEFT_OUT, stripQuotedText } from '../../../../shared/rounds/commands/strip-quoted-text.ts';
import { parseUserCommand } from '../../../../shared/rounds/commands/parse-command.ts';
import { boundMarkdown } from '../../../../shared/rounds/commands/bound-markdown.ts';
import { MARKDOWN, repeated } from '../../../support/adversarial-texts.ts';
import { propertyRuns } from '../../../support/deep.ts';

const DISMISS = '@bot dismiss F-001 because it is generated';

describe('what somebody shows and does not say', () => {
  it.each([
    ['a fence in a list item', `- \`\`\`\n  ${DISMISS}\n  \`\`\``],
    ['a fence in a list item that is never closed', `1. ~~~\n   ${DISMISS}`],
    ['code of a list item', `- a\n\n      ${DISMISS}`],
    ['a fence that a line with a language does not close', '```sh\na\n```sh\n@bot pause\n```'],
    ['a fence that a shorter one does not close', '````\n```\n@bot pause\n````'],
    ['a span of several lines', 'so `a\n@bot review\nb` is written'],
    ['a span of two backticks', '``a ` @bot pause``'],
    ['a comment', '<!-- @bot review --full -->'],
    ['a comment of several lines', `<!--\n${DISMISS}\n-->`],
    ['a comment with blank lines', `<!--\n\n${DISMISS}\n\n-->\n\nThanks.`],
    ['a comment within a line', 'Thanks <!-- @bot pause --> a lot'],
    ['preformatted HTML', '<pre>\n@bot review\n\n@bot pause\n</pre>'],
    ['preformatted HTML within a line', 'as in <pre>@bot review</pre>'],
    ['code in HTML', 'write <code>@bot review</code>'],
    ['code in HTML, with an attribute', 'write <CODE class="a">@bot review</CODE>'],
    ['code in HTML within other tags', 'write <kbd><b>@bot review</b></kbd>'],
    ['code in HTML that is never closed', 'write <code>this\n\n@bot review'],
    ['a quote in HTML over paragraphs', '<blockquote>\n\n@bot review\n\n</blockquote>'],
    ['a block of HTML', '<div>\n@bot review\n</div>'],
    ['an attribute', 'a <b title="@bot review">word</b>'],
    ['the line that goes on with a quote', '> quoted\n@bot review'],
    ['the line that goes on with a quote of a list', '- > quoted\n@bot review'],
    ['a quote in a list', '1. > @bot review'],
    ['a quote behind code', '> `x` @bot review'],
    ['a quote in a quote', '> > @bot review\n> x'],
    ['a long quote', '>>>\nquoted\n\n@bot review\n>>>'],
    ['a longer quote', '>>>>\n>>>\n\n@bot review\n\n>>>>'],
    ['the address of a link', '[x](<@bot review>)'],
    ['the title of a link', '[x](/y "@bot review")'],
    ['the label of a link', '[x][@bot review]\n\n[@bot review]: /y'],
    ['the title of a definition', '[x]: /y "@bot review"'],
    ['the words of a definition', '[//]: # (@bot review)'],
    ['the words for an image', '![@bot review](/y.png)'],
    ['the words for an image elsewhere', '![@bot review][x]\n\n[x]: /y.png'],
    ['an address between angle brackets', '<https://forge.example/?a=@bot>'],
    ['another address between angle brackets', '<sip:@bot>'],
    ['a bare address', 'https://forge.example/?a=@bot review'],
    ['an escaped mention', '\\@bot review'],
    ['a mention with a reference', '&#64;bot review'],
  ])('is not heard: %s', (_name, body) => {
    expect(parseUserCommand(body, 'bot')).toBeNull();
  });
});

describe('what somebody says', () => {
  it.each([
    ['behind a fence in a list', '- ```\n  @bot pause\n  ```\n\n@bot resume'],
    ['behind a fence that a longer one closes', '```\n@bot pause\n`````\n@bot resume'],
    ['behind a fence of which a list item loses the rest', '- ```\n  @bot pause\n\n@bot resume'],
    ['behind a span of several lines', '`@bot\npause` and @bot resume'],
    ['behind a backtick alone', 'an open ` tick @bot resume'],
    ['behind an escaped backtick', '\\`@bot resume`'],
    ['behind a comment', '<!--\n@bot pause\n-->\n@bot resume'],
    ['behind what only begins like a comment', 'a <!-- b\n\n@bot resume -->'],
    ['behind a comment with a tag', '<!-- <pre> -->\n\n@bot resume'],
    ['behind code in HTML', '<code>@bot pause</code> @bot resume'],
    ['behind a closing tag that was never opened', 'a </code> b <code>@bot pause</code> @bot resume'],
    ['between tags of emphasis', 'now <b>@bot resume</b>'],
    ['between tags, in its own paragraph', '<details>\n\n@bot resume\n\n</details>'],
    ['behind a quote', '> @bot pause\n\n@bot resume'],
    ['behind a quote that a heading ends', '> @bot pause\n# @bot resume'],
    ['behind a long quote', '>>>\n@bot pause\n>>>\n\n@bot resume'],
    ['behind signs of a long quote that nothing ends', '>>>\n\n@bot resume'],
    ['behind an address', 'see https://forge.example/@bot @bot resume'],
    ['as the text of a link', '[@bot resume](/y)'],
    ['behind code in a link', '[`@bot pause`](/@bot) @bot resume'],
    ['behind the signs of an address alone', ': :// pause @bot resume'],
    ['behind a link', '[a](/@bot) @bot resume'],
    ['in a list', '- a\n- @bot resume'],
    ['in a heading', '## @bot resume'],
    ['in a table', '| a |\n| - |\n| @bot resume |'],
    ['indented behind a paragraph', 'Thanks\n    @bot resume'],
    ['indented in a list item', '1. a\n\n    @bot resume'],
    ['with the line ends of other systems', 'a\r@bot resume\rb'],
    ['behind a tab', '\ta\n\n-\t`@bot pause`\t@bot resume'],
  ])('is heard: %s', (_name, body) => {
    expect(parseUserCommand(body, 'bot')).toEqual({ kind: 'resume' });
  });

  it('keeps its lines and marks, the addresses that call nobody, and one sign for what is left out', () => {
    const body = [
      '## For *you*',
      '- see [a](/b "c") and <https://d.example>',
      '- not `so',
      '  but` that ![e](/f.png)',
      '```',
      'code',
      '```',
      'last &amp; \\*least\\*',
    ].join('\n');
    expect(stripQuotedText(body)).toEqual([
      '## For *you*',
      '- see [a](/b "c") and <https://d.example>',
      `- not ${LEFT_OUT} that ![e](/f.png)`,
      'last &amp; \\*least\\*',
    ]);
  });

  it('keeps the id of a finding in a code span, except within code in HTML', () => {
    expect(stripQuotedText('see `F-001` and `F-1 x`, <code>`F-002`</code>')).toEqual([
      `see \`F-001\` and ${LEFT_OUT}, ${LEFT_OUT.repeat(3)}`,
    ]);
  });

  it('is told from the rest behind a mark of the byte order too', () => {
    expect(stripQuotedText('\uFEFF`a` b')).toEqual([`${LEFT_OUT} b`]);
  });

  it('reaches the one who reviews without code and quotes, and with its addresses', () => {
    const body = '@bot review [this](/a), `not` that\n\n> quoted\n\nand <!-- hidden --> the rest';
    expect(parseUserCommand(body, 'bot')).toEqual({
      kind: 'review',
      full: false,
      instructions: '[this](/a),   that\n\n\nand   the rest',
    });
  });
});

describe('a text made to keep a parser busy', () => {
  it.each([
    ['quotes', '>', false],
    ['quotes and lists', '> - ', false],
    ['quoted lines', '> > > > > > > > a\n', false],
    ['lists', '1. ', false],
    ['brackets', '[', false],
    ['links', '[a](', false],
    ['images', '![a](b) ', false],
    ['emphasis', '*_', true],
    ['emphasis that ends', 'a***b*c ', true],
    ['tags', '<code ', false],
    ['open tags', '<code><q>', false],
    ['comments', '<!--', false],
    ['definitions', '[a]: b\n', false],
    ['headings', 'a\n=\n', false],
    ['fences', '```\n', false],
    ['lines', 'a\n', false],
    ['blank lines', '\n', false],
    ['instructions', '<?', false],
    ['declarations', '<!A', false],
    ['raw data', '<![CDATA[', false],
    ['titles', '[a](b (', false],
    ['lists in quotes', '- > \n', false],
    ['references', '&amp;', true],
    ['escapes', '\\', true],
    ['backticks', '` `` ``` ', false],
  ])('of %s is read or not, as the limits are: %j, %s', (_name, piece, heard) => {
    const body = `${piece.repeat(Math.floor((60 * 1024) / piece.length))}\n\n@bot review`;
    expect(parseUserCommand(body, 'bot') !== null).toBe(heard);
  });

  it.each(MARKDOWN)('F-E1: 64 KB of %j take no longer than two seconds', (piece) => {
    const before = process.cpuUsage();
    parseUserCommand(`@bot ${repeated(piece, 65_000)}`, 'bot');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  it('F-E1: a large log in a fence does not keep the command behind it from being heard', () => {
    const log = '<a href="/x">[1] `b`</a>\n'.repeat(1_500);
    expect(parseUserCommand(`\`\`\`html\n${log}\`\`\`\n\n@bot review`, 'bot')).toMatchObject({ kind: 'review' });
  });

  it.each([
    ['in a fence of a list', '- ```\n'],
    ['in a fence that begins deeper', '  ```\n```\n'],
    ['in a comment', '<!--\n```\n-->\n'],
    ['behind a fence', '```\n```\n'],
    ['behind an opener of a fence that is none', '```a`\n'],
  ])('F-E1: what only seems to be in a fence is counted: %s', (_name, before) => {
    expect(boundMarkdown(`x\n\n${before}${'<?'.repeat(5_000)}`)).toBe('x\n\n');
  });

  it('F-E1: a long quote that the limit cuts is not taken for words', () => {
    expect(parseUserCommand(`>>>\n\n@bot review\n\n${'<?'.repeat(5_000)}\n\n>>>`, 'bot')).toBeNull();
  });

  it('may nest anything in anything', () => {
    const signs = fc.constantFrom(
      '> ',
      '- ',
      '1. ',
      '[',
      '](a)',
      '![',
      '*',
      '_',
      '`',
      '<b>',
      '<q>',
      '</q>',
      '\n',
      ' a ',
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 400 }), (pieces) => {
        const text = pieces.join('');
        const lines = stripQuotedText(`${text}\n\nend`);
        expect(lines.join('').length).toBeLessThanOrEqual(text.length + 5);
      }),
      propertyRuns(50, 5_000),
    );
  });
});
