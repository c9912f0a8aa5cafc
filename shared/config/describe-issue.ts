/** Describes a configuration error in one line: the setting and the expected value, but never a value that may be a secret. */
import type { z } from 'zod';
import { settingPath, spelling } from './text/key-case.ts';
import { SettingsFile } from './schema.ts';
import { keysAt } from './text/setting-tree.ts';
import { nearestWord } from './text/suggest.ts';

type Issue = z.core.$ZodIssue;

const startLower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** True if the key of a `[[project]]` section is a setting, but not one that a project may have. */
const isOfInstallation = ([table, , ...below]: readonly PropertyKey[], name: string): boolean =>
  table === 'project' && keysAt(SettingsFile, below).includes(name);

function describeUnknownKey(path: readonly PropertyKey[], key: string): string {
  const name = spelling(key);
  if (isOfInstallation(path, name))
    return `${settingPath([...path, key])}: cannot differ per project; it applies to the whole installation`;
  const nearest = nearestWord(name, keysAt(SettingsFile, path));
  const hint = nearest === null ? '' : `; did you mean "${nearest}"?`;
  return `${settingPath([...path, key])}: is not a setting${hint}`;
}

/** Neither zod's messages (about types and bounds) nor our own (about expected values) quote the input. */
function expectation(issue: Issue): string {
  if (issue.code === 'invalid_value') {
    return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return `is missing; expected ${issue.expected}`;
  }
  const sentence = issue.message.replace(/^(?:Invalid input|Too small|Too big): /, '');
  // `camelizeKeys` has replaced dates with symbols.
  return startLower(sentence.replace('received symbol', 'received a date'));
}

export function describeIssue(issue: Issue): readonly string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => describeUnknownKey(issue.path, key));
  return [`${settingPath(issue.path)}: ${expectation(issue)}`];
}

/** Names of settings into which somebody may paste a secret by mistake: names of secrets, and addresses. */
const SECRET = /env|secret|token|key|password|url|mention/i;

/** Matches short words that consist of letters only, which a secret does not. */
const WORD = /^[A-Za-z]{1,20}(?:[-_/.*][A-Za-z*]{0,20}){0,3}$/;

const isHarmless = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && WORD.test(value));

/** Returns the given value in brackets; empty if the value may be a secret. */
export function givenText(document: unknown, { path, code }: Issue): string {
  if (code === 'unrecognized_keys' || path.some((part) => SECRET.test(String(part)))) return '';
  const value = path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    document,
  );
  return isHarmless(value) ? ` (given: ${JSON.stringify(value) ?? String(value)})` : '';
}
