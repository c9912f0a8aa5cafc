import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUserCommand } from '../../../../../shared/rounds/commands/parse-command.ts';
import { reviewCommands } from '../../../../../shared/rounds/plan/wording/left-text.ts';

const commandFor = (path: string): string | undefined =>
  /^- `(.*)`$/u.exec(reviewCommands([path], 'fixpoint')[0] ?? '')?.[1];

/** Paths as a marker stores them, with the spellings that a command or Markdown could read as something else. */
const path = fc
  .array(
    fc.constantFrom('a', 'B_2', '.', '-', '--x', '=', ' ', '"', '`', '<T>', '[id]', '(b@c)', '@fixpoint', '*', '_'),
    { minLength: 1, maxLength: 6 },
  )
  .chain((pieces) => fc.constantFrom(pieces.join(''), `${pieces.join('')}/`, `src/${pieces.join('')}`));

test('a command that is shown is read back as its path', () => {
  fc.assert(
    fc.property(path, (each) => {
      const command = commandFor(each);
      if (command === undefined) return;
      expect(parseUserCommand(command, 'fixpoint')).toEqual({
        kind: 'review',
        full: false,
        instructions: '',
        only: each,
      });
    }),
    { seed: 5, numRuns: 2_000 },
  );
});

test.each([
  ['src/app.ts', 'src/app.ts'],
  ['with space/', '"with space/"'],
  ['.clang-format', '".clang-format"'],
  ['foo.config-old', '"foo.config-old"'],
  ['Dockerfile.dev_2', '"Dockerfile.dev_2"'],
  ['README.', '"README."'],
  ['a.b=c/', '"a.b=c/"'],
  ['docs/a -b.md', '"docs/a -b.md"'],
  ['app/[id]/page.tsx', 'app/[id]/page.tsx'],
])('%s is shown as %s', (path, word) => {
  expect(commandFor(path)).toBe(`@fixpoint review ${word}`);
});

test.each(['src/<T>/x.ts', 'odd`name/', 'a"b/', 'a\nb/', `${'x'.repeat(1_000)}/`])('%j is not shown', (path) => {
  expect(commandFor(path)).toBeUndefined();
});
