import { expect, test } from 'vitest';
import { ERROR_CODES, explainCode, knownCode, plainMeaning } from '../../../shared/error-codes/explain.ts';

test('a code is explained with what happens to its job, and what helps', () => {
  expect(explainCode('LOCK_TIMEOUT')).toEqual({
    disposition: 'retry',
    text: 'Another process held the lock of a git mirror for too long.',
  });
});

test('a code that no version knows is an unforeseen error, also if it is a name that every object has', () => {
  for (const code of ['UNEXPECTED', 'OF_ANOTHER_VERSION', 'constructor', '__proto__'])
    expect([explainCode(code).text, knownCode(code)]).toEqual([
      'An unforeseen error. The log has its message and stack; please report it.',
      'UNEXPECTED',
    ]);
  expect(knownCode('LOCK_TIMEOUT')).toBe('LOCK_TIMEOUT');
});

test('the meaning on a terminal has neither links nor marks of Markdown', () => {
  expect(plainMeaning('AUTHOR_BAD_ANSWER')).toBe(
    "The answer of the author's command or CLI does not match the schema in deploy/guide/author.md.",
  );
  const marked = Object.keys(ERROR_CODES).filter((code) => /`|\]\(/.test(plainMeaning(code)));
  expect(marked).toEqual([]);
});
