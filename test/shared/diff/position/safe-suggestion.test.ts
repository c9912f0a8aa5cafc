/** More cases, in files with a history, are in `settle-claim.test.ts` of the reviewer. */
import { expect, it } from 'vitest';
import { safeSuggestion } from '../../../../shared/diff/position/safe-suggestion.ts';
import { REDACTED } from '../../../../shared/text/redact.ts';

const place = { path: 'a.js', side: 'new', startLine: 2, line: 2 } as const;

const offered = (line: string, suggestion: string): boolean => {
  const quoted = { kind: 'there', place } as const;
  return safeSuggestion({ suggestion, named: place, quoted, text: `before();\n${line}\nafter();\n` }) !== null;
};

const HIDDEN = 'join("a\u200cb");';

it.each<[string, string, string, boolean]>([
  ['that changes the line', 'run();', 'walk();', true],
  ['that writes the mark of an invisible character', HIDDEN, 'join("a[U+200C]b", true);', false],
  ['that takes an invisible character away', HIDDEN, 'join("ab");', true],
  ['that keeps an invisible character', HIDDEN, `${HIDDEN} // kept`, true],
  ['with what looks like a mark, on a line without one', 'run();', 'show("[U+200C]");', true],
  ['that writes the mark of a secret', 'const key = read();', `const key = "${REDACTED}".trim();`, false],
  ['on a line that has that word itself', `log("${REDACTED}");`, `warn("${REDACTED}");`, true],
])('a suggestion %s', (_what, line, suggestion, expected) => {
  expect(offered(line, suggestion)).toBe(expected);
});
