import { describe, expect, it } from 'vitest';
import { findUncheckedLines } from '../../../shared/rules/unchecked-lines.ts';
import { scriptBlocksOf } from '../../../shared/rules/script-blocks.ts';
import { scanStructural } from '../../../shared/rules/structural-scan.ts';
import { STRUCTURAL_RULES } from '../../../shared/rules/structural/catalogue.ts';

const signal = new AbortController().signal;

describe('scriptBlocksOf', () => {
  it.each<[string, string, readonly [number, string, string][]]>([
    ['no script', '<template>\n  <p />\n</template>\n', []],
    ['a script', '<template />\n<script>\na();\n</script>\n', [[2, '', '\na();\n']]],
    [
      'two scripts',
      '<script lang="ts">\na();\n</script>\n<script setup lang="ts">\nb();\n</script>\n',
      [
        [1, 'ts', '\na();\n'],
        [4, 'ts', '\nb();\n'],
      ],
    ],
    [
      '`>` in an attribute',
      '<script setup lang="ts"\n  generic="T extends Map<A, B>">\na();\n</script>',
      [[2, 'ts', '\na();\n']],
    ],
    ['CRLF', '<p/>\r\n<script>\r\na();\r\n</script>\r\n', [[2, '', '\r\na();\r\n']]],
    ['a script that is not closed', '<script>\na();\n', [[1, '', '\na();\n']]],
    ['a tag that is not closed', '<script lang="ts\na();\n', [[3, '', '']]],
    ['a closing tag in a string', '<script>\na("</script>");\n</script>\n', [[1, '', '\na("']]],
    ['a commented script', '<!-- <script>\na();\n</script> -->\n<script>b();</script>\n', [[4, '', 'b();']]],
    ['a comment that is not closed', '<!-- <script>\na();\n</script>\n', []],
    ['a script in another file', '<script src="./a.js" />\n<p />\n<script>b();</script>\n', [[3, '', 'b();']]],
    ['a type', "<script type='module'>a();</script>", [[1, 'module', 'a();']]],
    ['a tag with a longer name', '<script-view>\na();\n</script-view>\n', []],
    ['capitals', '<SCRIPT LANG=TS>a();</SCRIPT >', [[1, 'TS', 'a();']]],
  ])('reads %s', (_, text, expected) => {
    expect(scriptBlocksOf(text).map(({ firstLine, lang, text: code }) => [firstLine, lang, code])).toEqual(expected);
  });
});

const hitsOf = async (path: string, text: string) => {
  const { hits, omitted } = await scanStructural([{ path, text }], STRUCTURAL_RULES, signal);
  const found = hits.map(({ rule, startLine, evidence, suggestion }) => [rule.id, startLine, evidence, suggestion]);
  return { found: found.toSorted((a, b) => Number(a[1]) - Number(b[1])), omitted };
};

describe.each(['a.vue', 'a.svelte'])('the scripts of %s', (path) => {
  it('are checked by the rules of their language, on the lines of the file', async () => {
    const text =
      '<template>\n  <p @click="debugger" />\n</template>\n<script>\ndebugger;\n</script>\n<script lang="ts">\n// @ts-nocheck\nconst a: string = eval(b);\n</script>\n';
    expect(await hitsOf(path, text)).toEqual({
      found: [
        ['js-debugger', 5, 'debugger;', null],
        ['ts-nocheck', 8, '// @ts-nocheck', null],
        ['js-eval', 9, 'const a: string = eval(b);', null],
      ],
      omitted: [],
    });
  });

  it('are checked with CRLF too', async () => {
    const { found } = await hitsOf(path, '<p />\r\n<script>\r\na();\r\ndebugger;\r\n</script>\r\n');
    expect(found).toEqual([['js-debugger', 4, 'debugger;', null]]);
  });

  it('are checked to the end if they are not closed', async () => {
    expect((await hitsOf(path, '<p />\n<script>\ndebugger;\n')).found).toEqual([['js-debugger', 3, 'debugger;', null]]);
    expect((await hitsOf(path, '<script>debugger;')).found).toEqual([['js-debugger', 1, '<script>debugger;', null]]);
  });

  it('get a suggestion only for a line that is all script', async () => {
    const focused = "it.only('a', f);";
    const { found } = await hitsOf(path, `<script>${focused}</script>\n<script>\n${focused}\n</script>\n`);
    expect(found).toEqual([
      ['js-focused-test', 1, `<script>${focused}</script>`, null],
      ['js-focused-test', 3, focused, "it('a', f);"],
    ]);
  });

  it('name the lines that cannot be parsed, as the closing tag in a string ends the script', async () => {
    const text = '<p />\n<script>\na();\nb("</script>");\n</script>\n';
    const errors = (await findUncheckedLines([{ path, text }], signal)).get(path);
    expect(errors?.some(({ startLine, endLine }) => startLine <= 4 && endLine >= 4)).toBe(true);
    expect(errors?.some(({ startLine }) => startLine === 3)).toBe(false);
    expect(await findUncheckedLines([{ path, text: '<p />\n<script>\na();\n</script>\n' }], signal)).toEqual(
      new Map([[path, []]]),
    );
  });

  it('make the file omitted where no rule knows their language, or where there are too many', async () => {
    const reasons = async (text: string) => (await hitsOf(path, text)).omitted;
    const unread = [{ path, reason: 'no rule knows the language of a script block' }];
    expect(await reasons('<script lang="coffee">\na()\n</script>\n')).toEqual(unread);
    expect(await reasons('<script type="application/ld+json">\n{}\n</script>\n')).toEqual([]);
    expect(await reasons('<script>a();</script>'.repeat(21))).toEqual([{ path, reason: 'more than 20 script blocks' }]);
    expect(await reasons('<script>a();</script>'.repeat(20))).toEqual([]);
  });
});
