import { expect, it } from 'vitest';
import {
  calledBeforeText,
  handoffCallText,
  operatorCallText,
  threadCallText,
} from '../../../../../shared/rounds/plan/wording/call-text.ts';

it.each([
  [['ann'], '@ann', '`ann`'],
  [['ann', 'bob'], '@ann and @bob', '`ann` and `bob`'],
  [['ann', 'bob', 'org/team'], '@ann, @bob and @org/team', '`ann`, `bob` and `org/team`'],
])('%j are mentioned by name, and once more only as code', (names, mentioned, shown) => {
  expect(threadCallText(names)).toBe(`${mentioned}, please decide whether this must be fixed.`);
  expect(handoffCallText(names)).toBe(`${mentioned}, please decide how this change request should proceed.`);
  expect(operatorCallText(names)).toBe(`${mentioned}, please take a look.`);
  expect(calledBeforeText(names)).toBe(`Asked to decide: ${shown}.`);
});
