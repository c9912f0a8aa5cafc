import { expect, test } from 'vitest';
import { codeOnly } from '../../../shared/diff/code-only.ts';

test.each([
  ['a line comment', 'save(user); // allowed(user)', 'save(user);'],
  ['a comment of a shell, or of Python', 'save user  # allowed', 'save user'],
  ['a comment of SQL', 'SELECT 1 -- allowed', 'SELECT 1'],
  ['a comment of an assembler', '  ; allowed\nmov a, b', 'mov a, b'],
  ['a block comment', 'a(); /* b();\n * c(); */ d();', 'a(); d();'],
  ['a block comment without an end', 'a(); /* b();\nc();', 'a();'],
  ['a comment of HTML', 'a <!-- b\nc --> d', 'a d'],
  ['a documentation string', 'def a():\n  """b()\n  c()"""\n  return 1', 'def a(): "" return 1'],
  ['what a string says', 'say("allowed(user)", \'b\')', 'say("", \'\')'],
  ['a string with an escaped quote', String.raw`say("a\"b()", c)`, 'say("", c)'],
  ['a text over several lines', 'say(`a\nb()`, c)', 'say(``, c)'],
  ['a string that does not end', 'say("a\nb()', 'say("" b()'],
  ['an address in a string is no comment', 'get("https://a.example/b"); c()', 'get(""); c()'],
  ['an apostrophe in a comment begins no string', "a(); // don't\nb();", 'a(); b();'],
  ['a directive of the preprocessor stays', '#include <a.h>\n#define B 1', '#include <a.h> #define B 1'],
  ['an attribute stays', '#[test]\nfn a() {}', '#[test] fn a() {}'],
  ['a private field stays', 'this.#count += 1;', 'this.#count += 1;'],
  ['a pointer stays', '  *at = 1;', '*at = 1;'],
  ['a decrement stays', 'i--;', 'i--;'],
])('%s', (_what, text, code) => {
  expect(codeOnly(text).replaceAll(/\s+/g, ' ').trim()).toBe(code);
});

test('is removed from a large text that never ends a string', () => {
  for (const piece of ['\\"', '`', "'a", '/*', '"""', '# ', ' -- '])
    expect(codeOnly(piece.repeat(200_000)).length).toBeLessThanOrEqual(piece.length * 200_000 * 2);
});
