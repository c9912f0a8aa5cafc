import { expect, it } from 'vitest';
import { parseUserCommand } from '../../../shared/rounds/commands/parse-command.ts';

it.each<[string, boolean]>([
  ['@fixpoint fix', true],
  ['@Fixpoint FIX please', true],
  ['  @fixpoint   fix.', true],
  ['Thanks.\n\n@fixpoint fix', true],
  ['@fixpoint fix-it', false],
  ['@fixpoint fixture', false],
  ['@fixpoint fix_all', false],
  ['@fixpoint-ci fix', false],
  ['@fixpoint', false],
  ['@fixpoint review', false],
  ['@fixpoint do not fix', false],
  ['please @fixpoint fix', false],
  ['never write "@fixpoint fix" here', false],
  ['> @fixpoint fix', false],
  ['    @fixpoint fix', false],
  ['```\n@fixpoint fix\n```', false],
  ['`@fixpoint fix`', false],
  ['@fixpointfix', false],
  ['`first` @fixpoint fix', false],
  ['a `span\nover` @fixpoint fix', false],
  ['<!-- first --> @fixpoint fix', false],
  ['\\@fixpoint fix', false],
  ['Thanks.\r@fixpoint fix', true],
  ['- ```\n  @fixpoint fix\n  ```', false],
  ['> thanks\n@fixpoint fix', false],
])('%j asks for a fix: %s', (body, asks) => {
  expect(parseUserCommand(body, 'fixpoint')?.kind === 'fix').toBe(asks);
});
