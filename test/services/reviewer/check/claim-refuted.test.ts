import { describe, expect, test } from 'vitest';
import { mayRefute } from '../../../../services/reviewer/check/claim-refuted.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import type { Severity } from '../../../../shared/vocabulary/finding.ts';

const NO_DIFF = parseDiff('');

/** Tries to refute that a check is never called, with a quote of a file that did not change. */
const refutes = async (code: string, text: string, severity: Severity = 'P0') =>
  mayRefute(
    { path: 'users.js', line: 1, code },
    { severity, title: 'assertAllowed is never called', evidence: 'saveUser(user)', quotes: [] },
    {
      diff: NO_DIFF,
      headText: async () => text,
      baseText: async () => text,
      redact: createRedactor([]),
    },
  );

describe.each<Severity>(['P0', 'P2'])('a %s', (severity) => {
  test.each([
    ['code', 'assertAllowed(user);', 'begin();\nassertAllowed(user);\nsaveUser(user);\n'],
    ['code before a comment', 'assertAllowed(user);', 'assertAllowed(user); // before it is saved\n'],
    ['code with its comment', 'assertAllowed(user); // first', 'assertAllowed(user); // first\n'],
    ['code with a string', "assertAllowed(user, 'save');", "assertAllowed(user, 'save');\n"],
    ['code that a comment repeats', 'assertAllowed(user)', '// assertAllowed(user)\nassertAllowed(user);\n'],
  ])('is refuted by %s', async (_what, code, text) => {
    expect(await refutes(code, text, severity)).toBe(true);
  });

  test.each([
    ['a line comment, quoted without its sign', 'assertAllowed(user)', '  // assertAllowed(user) was removed here\n'],
    ['the comment behind code', 'assertAllowed(user)', 'saveUser(user); // assertAllowed(user)\n'],
    ['a comment of a shell', 'assertAllowed(user)', 'saveUser user # assertAllowed(user)\n'],
    [
      'a block comment whose first line is code elsewhere',
      'begin();\nassertAllowed(user);',
      'begin();\n/*\nbegin();\nassertAllowed(user);\n*/\n',
    ],
    ['part of a string', 'assertAllowed(user) must be', 'const s = "assertAllowed(user) must be called";\n'],
    ['a string over several lines', 'assertAllowed(user);', 'const s = `\nassertAllowed(user);\n`;\n'],
    ['a string with another text', "check('assertAllowed')", "check('somethingElse')\n"],
    ['a name that only its comment says', 'begin(it); // assertAllowed', 'begin(it); // assertAllowed\n'],
    ['a name that only its string says', 'begin("assertAllowed")', 'begin("assertAllowed")\n'],
  ])('is not refuted by %s', async (_what, code, text) => {
    expect(await refutes(code, text, severity)).toBe(false);
  });
});
