/** Line ends, marks, tabs and very many lines change neither what is found nor where, and cost little. */
import { describe, expect, it } from 'vitest';
import { isCheckedAbove, isCheckedByName } from '../../../shared/rules/inserted/checked-values.ts';
import type { GrepLanguage } from '../../../shared/rules/model/rule.ts';
import { reviewFiles } from './review-files.ts';

const PYTHON = 'import os\n\ndef f(name):\n    os.system("ls " + name)\n';
const VUE = '<template>\n  <p />\n</template>\n<script>\nfunction f(text) {\n  eval(text);\n}\n</script>\n';

const foundIn = async (path: string, text: string): Promise<readonly string[]> => {
  const changedLines = new Set(text.split('\n').map((_, index) => index + 1));
  const { findings } = await reviewFiles([{ path, text, changedLines }], new AbortController().signal);
  return findings.map(({ rule, severity, line }) => `${line} ${severity} ${rule}`);
};

describe('a finding is on its line', () => {
  it.each<readonly [string, string, string, string]>([
    ['CRLF', 'a.py', PYTHON.replaceAll('\n', '\r\n'), '4 P1 py-shell-by-string'],
    ['a byte order mark', 'a.py', `\uFEFF${PYTHON}`, '4 P1 py-shell-by-string'],
    ['tabs', 'a.py', PYTHON.replaceAll('    ', '\t'), '4 P1 py-shell-by-string'],
    ['no end of the last line', 'a.py', PYTHON.trimEnd(), '4 P1 py-shell-by-string'],
    ['other white space', 'a.py', PYTHON.replace('os\n', 'os\n\f\n'), '5 P1 py-shell-by-string'],
    [
      'signs of other planes above',
      'a.py',
      PYTHON.replace('\n\n', '\n# \u{1F680}\u{20000}\n'),
      '4 P1 py-shell-by-string',
    ],
    ['a script in a component', 'a.vue', VUE, '6 P1 js-eval'],
    ['a script in a component with CRLF', 'a.vue', VUE.replaceAll('\n', '\r\n'), '6 P1 js-eval'],
  ])('with %s', async (_, path, text, found) => {
    expect(await foundIn(path, text)).toEqual([found]);
  });
});

describe('the search for checks', () => {
  const costOf = (line: (index: number) => string, place: string, language: GrepLanguage): number => {
    const lines = Array.from({ length: 3_000 }, (_, index) => line(index));
    let units = 0;
    const spend = (more: number): void => {
      units += more;
    };
    for (let at = 1; at <= lines.length; at += 3) {
      const use = { lines, line: at, language, work: { spend } };
      isCheckedAbove(place, use);
      isCheckedByName(place, use);
    }
    return units;
  };

  it.each<readonly [string, (index: number) => string, string, GrepLanguage]>([
    ['without a check', (index) => `    run("ls " + name + str(${index}))`, 'name', 'Python'],
    ['without a check of this value', () => '    if other not in ALLOWED: pass', 'name', 'Python'],
    ['without a check in Ruby', (index) => `  run("#{name} ${index}")`, 'name', 'Ruby'],
    ['without a check in PHP', (index) => `$db->query("$name ${index}");`, '$name', 'Php'],
  ])('costs little in a long file %s', (_, line, place, language) => {
    expect(costOf(line, place, language)).toBeLessThan(10_000);
  });

  it('ends with the limit of work of the file where there are very many', () => {
    const line = (index: number): string => (index % 2 === 0 ? '    if name in other: x = 1' : '    run(name)');
    expect(costOf(line, 'name', 'Python')).toBeGreaterThan(100_000);
  });
});
