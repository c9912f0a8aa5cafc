/** One mistake in the configuration as one line: where, what is expected, and never what was found. */
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
  return startLower(issue.message.replace(/^(?:Invalid input|Too small|Too big): /, ''));
}

export function describeIssue(issue: Issue): readonly string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => describeUnknownKey(issue.path, key));
  return [`${settingPath(issue.path)}: ${expectation(issue)}`];
}
