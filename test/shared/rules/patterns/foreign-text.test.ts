import { expect, test } from 'vitest';
import { isForeignText } from '../../../../shared/rules/patterns/foreign-text.ts';

const D = '$';

test.each([
  ['a parameter', 'function f(text) {', 'text', true],
  ['a call on a parameter', 'function f(text) {', 'text.trim().toLowerCase()', true],
  ['what a parameter is converted to', 'function f(text) {', 'String(text)', true],
  ['the object itself', 'trim() {', 'this', true],
  ['a name for a parameter', 'function f(text) {\n  const own = text.trim();', 'own', true],
  ['a text that is built', 'function f(text) {\n  let all = "";\n  all += text;', 'all', true],
  ['data of a request', '', "req.headers['x-forwarded-for']", true],
  ['a template with a value', '', `\`a${D}{b}\``, true],
  ['a long expression', '', `'${'a'.repeat(500)}'`, true],
  ['a literal', '', "'a b'", false],
  ['a number', '', '12', false],
  ['a name for a literal', "const a = 'b';", 'a', false],
  ['a name for a name for a literal', "const a = 'b';\nconst c = a;", 'c', false],
  ['a version of the program', '', 'process.version', false],
  ['the address of the page', '', 'window.location.hash', false],
  ['the message of an exception', '', 'error.message', false],
  ['the name of a file', 'const name = path.basename(file);', 'name', false],
])('of %s, knows whether it may come from outside', (_, above, code, expected) => {
  const lines = [...above.split('\n'), `  use(${code});`];
  expect(isForeignText(code, { lines, line: lines.length, language: 'JavaScript' })).toBe(expected);
});
