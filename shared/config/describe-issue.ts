/** One mistake in the configuration as one line: where, what is expected, and nothing that may be a secret. */
import type { z } from 'zod';
import { settingPath, spelling } from './key-case.ts';
import { SettingsFile } from './schema.ts';
import { keysAt } from './setting-tree.ts';
import { nearestWord } from './suggest.ts';

type Issue = z.core.$ZodIssue;

const startLower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function describeUnknownKey(path: readonly PropertyKey[], key: string): string {
  const name = spelling(key);
  const nearest = nearestWord(name, keysAt(SettingsFile, path));
  const hint = nearest === null ? '' : `; did you mean "${nearest}"?`;
  return `${settingPath([...path, key])}: is not a setting${hint}`;
}

/** zod's own sentences name only types and bounds, ours only what is expected: neither quotes input. */
function expectation(issue: Issue): string {
  if (issue.code === 'invalid_value') {
    return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return `is missing; expected ${issue.expected}`;
  }
  const sentence = issue.message.replace(/^(?:Invalid input|Too small|Too big): /, '');
  // Dates come in as symbols.
  return startLower(sentence.replace('received symbol', 'received a date'));
}

export function describeIssue(issue: Issue): readonly string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => describeUnknownKey(issue.path, key));
  return [`${settingPath(issue.path)}: ${expectation(issue)}`];
}

/** Settings that name a secret, or an address that may hold one: whatever stands there may be the secret itself. */
const SECRET = /env|secret|token|key|password|url|mention/i;

/** Letters alone, as short as a word: no secret looks like this. */
const WORD = /^[A-Za-z]{1,20}(?:[-_/.*][A-Za-z*]{0,20}){0,3}$/;

const isHarmless = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && WORD.test(value));

/** What was found, in brackets, where it can be no secret; else nothing. */
export function givenText(document: unknown, { path, code }: Issue): string {
  if (code === 'unrecognized_keys' || path.some((part) => SECRET.test(String(part)))) return '';
  const value = path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    document,
  );
  return isHarmless(value) ? ` (given: ${JSON.stringify(value) ?? String(value)})` : '';
}
