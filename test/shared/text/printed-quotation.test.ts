import { describe, expect, it } from 'vitest';
import { findEvidence, isLine } from '../../../shared/text/normalise-evidence.ts';
import { readQuotation } from '../../../shared/text/printed-quotation.ts';
import { createRedactor } from '../../../shared/text/redact.ts';

const redact = createRedactor([]);

describe('readQuotation', () => {
  it.each<[string, string, readonly string[]]>([
    ['code as it is', 'if (a) {', ['if (a) {']],
    ['code of two lines as it is', 'if (a) {\n  b();', ['if (a) {\n  b();']],
    ['nothing as nothing', '', ['']],
    ['blanks as they are', '  \n ', ['  \n ']],
    ['numbered lines without their numbers', '12:if (a) {\n13:  b();', ['12:if (a) {\n13:  b();', 'if (a) {\n  b();']],
    ['a number before a tab', '8\tif (a) {', ['8\tif (a) {', 'if (a) {']],
    ['a number before an arrow', '     8→if (a) {', ['     8→if (a) {', 'if (a) {', '    8→if (a) {']],
    ['a number before a bar', '8 | if (a) {', ['8 | if (a) {', ' if (a) {']],
    ['a number of the annotated diff', '+12:if (a) {', ['+12:if (a) {', 'if (a) {', '12:if (a) {']],
    ['a number behind a sign and a blank', '- 12:if (a) {', ['- 12:if (a) {', 'if (a) {', ' 12:if (a) {']],
    ['the row of a diff without its sign', '+if (a) {', ['+if (a) {', 'if (a) {']],
    ['rows of one side of a diff', ' a();\n+b();', [' a();\n+b();', 'a();\nb();']],
    ['the sides of a diff one at a time', ' a();\n-b();\n+c();', [' a();\n-b();\n+c();', 'a();\nc();', 'a();\nb();']],
    ['one side of a diff that removes', ' a();\n-b();', [' a();\n-b();', 'a();\nb();']],
    ['the head of a diff as no code', '@@ -1,2 +1,2 @@ f()\n+b();', ['@@ -1,2 +1,2 @@ f()\n+b();', 'b();']],
    [
      'the mark of a missing end of line as no code',
      '+b();\n\\ No newline at end of file',
      ['+b();\n\\ No newline at end of file', 'b();'],
    ],
    ['the head of a diff within a line as code', '+a("@@ b");', ['+a("@@ b");', 'a("@@ b");']],
    ['a blank line between numbered lines', '1:a();\n\n3:b();', ['1:a();\n\n3:b();', 'a();\n\nb();']],
    ['lines of which one has no number as they are', '1:a();\nb();', ['1:a();\nb();']],
    ['an address at the start as it is', 'http://a', ['http://a']],
    ['ten digits as no number of a line', '1234567890:a', ['1234567890:a']],
    ['line ends of Windows', '1:a();\r\n2:b();', ['1:a();\r\n2:b();', 'a();\nb();']],
    ['the code within a fence', '```ts\na();\n```', ['```ts\na();\n```', 'a();']],
    ['the code within a fence of tildes', ' ~~~\na();\n~~~ ', [' ~~~\na();\n~~~ ', 'a();']],
    ['two lines within a fence', '```\na();\nb();\n```', ['```\na();\nb();\n```', 'a();\nb();']],
    ['numbered lines within a fence', '```\n1:a();\n```', ['```\n1:a();\n```', '1:a();', 'a();']],
    ['a fence around nothing as it is', '```\n```', ['```\n```']],
    ['a fence that is not closed as it is', '```\na();\nb();', ['```\na();\nb();']],
    ['a fence that is not opened as it is', 'a();\nb();\n```', ['a();\nb();\n```']],
    ['the code of a code span', '`a()`', ['`a()`', 'a()']],
    ['the code of a longer code span', ' ``a(`b`)`` ', [' ``a(`b`)`` ', 'a(`b`)']],
    ['a code span that is not closed as it is', '``a()`', ['``a()`']],
    ['a code span that is not opened as it is', 'a()`', ['a()`']],
    ['backticks around nothing as they are', '``', ['``']],
    ['a blank in a code span as it is', '` `', ['` `']],
  ])('reads %s', (_name, text, readings) => {
    expect(readQuotation(text)).toEqual(readings);
  });
});

describe('findEvidence', () => {
  const file = 'const a = 1;\n+b();\n8: case\nif (a) {\n  call(a);\n}\n';

  it.each([
    ['as it is written', 'const a = 1;', 'const a = 1;'],
    ['as it is written, although it looks like a row of a diff', '+b();', '+b();'],
    ['as it is written, although it looks numbered', '8: case', '8: case'],
    ['without the numbers', '4:if (a) {\n5:  call(a);', 'if (a) {\n  call(a);'],
    ['without the signs', '+if (a) {\n+  call(a);', 'if (a) {\n  call(a);'],
    ['on the side of a diff that is in the file', '-if (b) {\n+if (a) {', 'if (a) {'],
    ['not at all when the file says something else', '4:if (b) {', null],
    ['not at all when too little is left', '6:}', null],
  ])('finds a quotation %s', (_name, quotation, found) => {
    expect(findEvidence(quotation, file, redact)).toBe(found);
  });
});

describe('isLine', () => {
  it.each([
    ['a lone bracket', '}', '  }', true],
    ['a lone bracket with its number', '12:}', '  }', true],
    ['a lone bracket with its sign', '+}', '}', true],
    ['two letters with a blank between them', 'a b', ' a  b', true],
    ['a blank line', ' ', '', true],
    ['another bracket', '}', '{', false],
    ['a bracket of a longer line', '}', '};', false],
    ['a line that tells by itself where it is', 'return a;', 'return a;', false],
    ['the number of a line that tells by itself where it is', '12:return a;', 'return a;', false],
  ])('judges %s', (_name, quotation, line, is) => {
    expect(isLine(quotation, line, redact)).toBe(is);
  });
});
