import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insertedValues, textIn } from '../../../../shared/rules/inserted/inserted-values.ts';
import { GREP_LANGUAGES, type GrepLanguage } from '../../../../shared/rules/model/rule.ts';

const D = '$';

describe('the values that an expression inserts', () => {
  test.each<[language: GrepLanguage, code: string, values: readonly string[]]>([
    ['JavaScript', '"git status"', []],
    ['JavaScript', `\`git clone ${D}{url} ${D}{quote(path)}\``, ['url', 'quote(path)']],
    ['JavaScript', `\`a ${D}{b.map((c) => { return c; }).join(' ')} d\``, ["b.map((c) => { return c; }).join(' ')"]],
    ['JavaScript', '"rm " + path + \'/\' + names.join("+")', ['path', 'names.join("+")']],
    ['JavaScript', '("a" + b)', ['b']],
    ['JavaScript', 'command', ['command']],
    ['JavaScript', '"a\\" + b" + c', ['c']],
    ['Python', 'f"ls {path} {{x}} {name!r}"', ['path', 'name!r']],
    ['Python', '"ls " f"{path}" "/x"', ['path']],
    ['Python', '"ls %s %d %s" % (path, count, name)', ['path', 'name']],
    ['Python', '"ls %s" % path', ['path']],
    ['Python', '"ls {} {n}".format(path, n=4)', ['path', 'n=4']],
    ['Python', "'''select {a}'''", []],
    ['Go', 'fmt.Sprintf("kill %d %s", pid, name)', ['name']],
    ['Go', '"SELECT " + columns + ` FROM a`', ['columns']],
    ['Java', '"SELECT a" + " FROM b"', []],
    ['Java', 'String.format("ls %s", path)', ['path']],
    ['Java', '"ls %s".formatted(path)', ['path']],
    ['Ruby', '"git clone #{url} #{a ? "x" : "y"}"', ['url', 'a ? "x" : "y"']],
    ['Ruby', '`ls #{path}`', ['path']],
    ['Php', '"ls $path {$a->b} $row[id]"', ['$path', '$a->b', '$row[id]']],
    ['Php', '"rm " . $path . \'x\'', ['$path']],
    ['Bash', `"a ${D}{b} $c"`, ['b', '$c']],
  ])('%s: %s', (language, code, values) => {
    expect(insertedValues(code, language).map((value) => value.code)).toEqual(values);
  });

  test('have the text before them', () => {
    const found = insertedValues('"SELECT a FROM " + table + " WHERE b = " + b', 'JavaScript');
    expect(found.map(({ before }) => before)).toEqual(['SELECT a FROM ', 'SELECT a FROM  WHERE b = ']);
    expect(insertedValues('fmt.Sprintf("a %s b %s", c, d)', 'Go').map(({ before }) => before)).toEqual([
      'a ',
      'a %s b ',
    ]);
  });

  test('are found in any text, which is never an error', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '"',
            "'",
            '`',
            `${D}{`,
            '#{',
            '{',
            '}',
            '(',
            ')',
            '+',
            '%s',
            '%',
            '\\',
            'f"',
            '"""',
            ' a',
            ',',
          ),
        ),
        fc.constantFrom(...GREP_LANGUAGES),
        (parts, language) => {
          const code = parts.join('');
          expect(insertedValues(code, language).every((value) => value.code.length <= code.length)).toBe(true);
          expect(typeof textIn(code, language)).toBe('string');
        },
      ),
    );
  });
});
