import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addVariables, isPlainValue, readVariables } from '../../../../services/cli/variables/env-text.ts';

describe('adding variables', () => {
  test.each([
    ['to nothing', '', 'A=1\n'],
    ['after a line without an end', 'B=2', 'B=2\nA=1\n'],
    ['where the name stands empty, between comments', '# one\nA=\n# two\n', '# one\nA=1\n# two\n'],
    ['where the name is exported and empty', 'export A=\n', 'export A=1\n'],
    ['where the name has empty quotes', 'A=""\n', 'A=1\n'],
    ['not over a value', 'A=old\n', 'A=old\n'],
    ['not over a quoted value', 'A="old"\n', 'A="old"\n'],
    ['not into a comment', '# A=\n', '# A=\nA=1\n'],
    ['not to a longer name', 'AA=\n', 'AA=\nA=1\n'],
  ])('%s', (_where, before, after) => {
    expect(addVariables(before, { A: '1' })).toBe(after);
  });

  test('keeps every value that is there and sets the others, whatever the file looks like', () => {
    const name = fc.constantFrom('A', 'B', 'C', 'A_B');
    const value = fc.stringMatching(/^[A-Za-z0-9_.:/@-]{0,12}$/);
    const line = fc.oneof(
      fc.tuple(name, value).map(([key, text]) => `${key}=${text}`),
      fc.constantFrom('', '# A=x', '  ', 'export B='),
    );
    fc.assert(
      fc.property(fc.array(line), fc.dictionary(name, fc.stringMatching(/^[a-z0-9]{1,9}$/)), (lines, values) => {
        const before = lines.join('\n');
        const after = addVariables(before, values);
        expect(readVariables(after)).toEqual({ ...values, ...readVariables(before) });
        expect(addVariables(after, values)).toBe(after);
      }),
    );
  });
});

test.each([
  ['0123456789abcdef', true],
  ['glpat-Ab_1.2=', true],
  ['has space', false],
  ['has"quote', false],
  ['has$dollar', false],
  ['has#hash', false],
  ['', false],
])('the value %j needs no quotes: %s', (value, plain) => {
  expect(isPlainValue(value)).toBe(plain);
});

test.each([
  ['A=1', { A: '1' }],
  ['A=1 # one', { A: '1' }],
  ['A=1#2', { A: '1#2' }],
  ['A="1 # 2"', { A: '1 # 2' }],
  ["export A='1'", { A: '1' }],
  ['A=1\nA=2', { A: '2' }],
  ['A=1\nA=', {}],
  ['A=\n  \nB=2', { B: '2' }],
  ['A=\r\nB=2\r\n', { B: '2' }],
  ['# A=1', {}],
  ['A = 1', {}],
])('%j holds %j', (text, variables) => {
  expect(readVariables(text)).toEqual(variables);
});
