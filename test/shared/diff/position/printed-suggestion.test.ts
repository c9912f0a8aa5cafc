import { describe, expect, it } from 'vitest';
import { plainSuggestion } from '../../../../shared/diff/position/printed-suggestion.ts';

const OWN = { startLine: 12, lines: ['  old();', '  more();'] };

describe('plainSuggestion', () => {
  it.each<[string, string, string]>([
    ['code as it is', 'a();\nb();', 'a();\nb();'],
    ['the number of Read', '12\ta();\n13\tb();', 'a();\nb();'],
    ['the number of the diff', '+12:a();\n+13:b();', 'a();\nb();'],
    ['two columns', '+ 12:a();\n+ 13:b();', 'a();\nb();'],
    ['two columns of unchanged lines', ' 10 12:a();\n+ 13:b();', 'a();\nb();'],
    ['removed lines between', '-12:  old();\n+12:a();', 'a();'],
    ['more lines than were there', '12\ta();\n13\tb();\n14\tc();', 'a();\nb();\nc();'],
    ['a bar', '12 | a();', 'a();'],
    ['a fence with numbers in it', '```ts\n12\ta();\n```', 'a();'],
    ['the signs of a diff', '-  old();\n+a();', 'a();'],
    ['added lines alone', '+a();\n+b();', 'a();\nb();'],
    ['an unchanged line of a diff', '   more();\n+a();', '  more();\na();'],
  ])('takes away %s', (_name, text, expected) => {
    expect(plainSuggestion(text, OWN)).toBe(expected);
  });

  it.each<[string, string]>([
    ['numbers that begin elsewhere', '80:a();\n81:b();'],
    ['numbers that do not ascend', '12:a();\n12:b();'],
    ['numbers on some lines', '12:a();\nb();'],
    ['removed lines alone', '- a\n- b'],
    ['a diff of other lines', '-other();\n+a();'],
    ['an open fence', '```\na();'],
    ['nothing', ''],
  ])('leaves %s as they are', (_name, text) => {
    expect(plainSuggestion(text, OWN)).toBe(text);
  });

  it.each<[string, string, readonly string[]]>([
    ['numbers', '12: one\n13: two', ['12: eins', '13: zwei']],
    ['a fence', '```\na\n```', ['```', 'b', '```']],
    ['plus signs', '+ a\n+ b', ['+ c']],
  ])('leaves %s that the replaced lines have too', (_name, text, lines) => {
    expect(plainSuggestion(text, { startLine: 12, lines })).toBe(text);
  });
});
