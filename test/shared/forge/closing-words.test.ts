import { expect, test } from 'vitest';
import { closedNumbers } from '../../../shared/forge/closing-words.ts';

test.each<[description: string, numbers: readonly number[]]>([
  ['Fixes #2, closes: #1 and resolved #3', [2, 1, 3]],
  ['fix #5\r\nFIXED #6', [5, 6]],
  ['Fixing #5, closing #6', []],
  ['Closes group/other#4', []],
  ['<!-- Fixes #123 -->', []],
  ['<!--\nWrite `Fixes #1` or\nFixes #2\n-->\nFixes #3', [3]],
  ['<!-- a --> Fixes #1 <!-- b\nFixes #2', [1]],
  ['```\nfix #5\n```\nfix #6', [6]],
  ['~~~ sh\n<!--\n~~~\nfix #6', [6]],
  ['Write `fixes #5` to close it.', []],
  ['Fixes `x` #5', []],
  ['> Fixes #7', [7]],
])('%j closes %j', (description, numbers) => {
  expect(closedNumbers({ title: 'A change', description })).toEqual(numbers);
});
