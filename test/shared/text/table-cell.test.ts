import { expect, it } from 'vitest';
import { tableCell } from '../../../shared/text/table-cell.ts';

it.each([
  ['a pipe, which would end the cell', 'a | b || c', 'a \\| b \\|\\| c'],
  ['a pipe with two backslashes, of which renderers disagree', 'a \\\\| b', 'a \\\\\\| b'],
  ['other pipe than one that is escaped already', 'a \\| b', 'a \\| b'],
  ['a backtick, which would end the code span', 'say `a`', "say 'a'"],
  ['a line end, which would end the row', 'a\n\n  b\tc', 'a b c'],
])('a cell of a table has no %s', (_name, text, cell) => {
  expect(tableCell(text)).toBe(cell);
});
