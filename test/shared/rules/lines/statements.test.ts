import { expect, it } from 'vitest';
import { splitLines } from '../../../../shared/rules/model/lines.ts';
import { sqlStatements } from '../../../../shared/rules/lines/sql-statements.ts';
import { terraformLines } from '../../../../shared/rules/lines/terraform-blocks.ts';

it.each<[string, string, readonly (readonly [number, number, string])[]]>([
  [
    'statements of several lines',
    'A\n  b;\nC; D\n',
    [
      [1, 2, 'A   b'],
      [3, 3, 'C'],
      [3, 3, 'D'],
    ],
  ],
  [
    'comments',
    '-- a;\nB; -- c;\n/* d;\ne; */ F;',
    [
      [2, 2, 'B'],
      [4, 4, 'F'],
    ],
  ],
  [
    'strings',
    "A 'b;c' d;\nE '--f';",
    [
      [1, 1, "A 'b;c' d"],
      [2, 2, "E '--f'"],
    ],
  ],
  [
    'bodies of functions',
    'A $$\nb;\n$$ c;\nD;',
    [
      [1, 3, 'A $$ b; $$ c'],
      [4, 4, 'D'],
    ],
  ],
  [
    'batches of SQL Server',
    'A\nGO\nB\ngo\n',
    [
      [1, 1, 'A'],
      [3, 3, 'B'],
    ],
  ],
])('reads %s of SQL', (_, text, expected) => {
  const found = sqlStatements(splitLines(text)).map(({ startLine, endLine, text: code }) => [
    startLine,
    endLine,
    code.replaceAll('\n', ' '),
  ]);
  expect(found).toEqual(expected);
});

it('knows the blocks around a line of Terraform', () => {
  const text = 'resource "a" "b" {\n  c = 1\n  tags = {\n    d = "{"\n  }\n  e { # {\n    f = 2\n  }\n}\ng = 3';
  const around = terraformLines(text.split('\n')).map(({ number, blocks }) => [number, blocks.map(({ type }) => type)]);
  expect(around.slice(0, 3)).toEqual([
    [1, []],
    [2, ['resource a']],
    [3, ['resource a']],
  ]);
  expect(around).toContainEqual([4, ['resource a', 'tags']]);
});
