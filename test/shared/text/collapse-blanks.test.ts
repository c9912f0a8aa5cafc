import { expect, it } from 'vitest';
import { collapseBlanks } from '../../../shared/text/collapse-blanks.ts';

it.each([
  ['a', 'a'],
  ['  a \t\n b  ', 'a b'],
  [' \n ', ''],
])('makes one blank of each run of white space, and none at the ends: %j is %j', (text, collapsed) => {
  expect(collapseBlanks(text)).toBe(collapsed);
});
