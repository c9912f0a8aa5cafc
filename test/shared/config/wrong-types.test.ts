/** F-F6: whatever a setting is given, the answer is a list of mistakes. */
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import { SettingsFile } from '../../../shared/config/schema.ts';
import { listSettings } from '../../../shared/config/text/setting-tree.ts';
import { propertyRuns } from '../../support/deep.ts';

const FORGE = '[[forge]]\nid = "main"\nkind = "forgejo"\nbase_url = "https://forge.example"\ntoken_env = "TOKEN"';
const WEBHOOK = 'webhook_secret_envs = ["WEBHOOK"]';

const problemsOf = (text: string): readonly string[] => {
  parse(text);
  const loaded = loadConfig({ text, env: {}, needs: [] });
  return loaded.ok ? [] : loaded.problems;
};

const VALUES = [
  '7',
  '-1',
  '1.5',
  'nan',
  '-inf',
  'true',
  '""',
  '"owner/name"',
  '"a\\nb"',
  '"\\u0000"',
  '[]',
  '[[]]',
  '[7]',
  '["a", 7]',
  '[{}]',
  '[[["x"]]]',
  '{}',
  '{ a = 1 }',
  '{ length = 3 }',
  '1970-01-01',
  '1970-01-01T00:00:00Z',
  '07:32:00',
  '["x", 1970-01-01]',
  '{ get = "x" }',
];

/** Every setting and every table above it, as a document in which only that one is set. */
const PLACES = [
  ...new Set(
    listSettings(SettingsFile).flatMap((setting) =>
      setting.split('.').map((_, index, parts) => parts.slice(0, index + 1).join('.')),
    ),
  ),
];

const documentWith = (place: string, value: string): string => {
  const parts = place.split('.');
  const last = parts.at(-1)?.replace('[]', '') ?? '';
  const above = parts.slice(0, -1);
  if (place === 'forge[]') return `forge = ${value}\n`;
  if (above[0] === 'forge[]') {
    const rest = [FORGE, WEBHOOK, 'projects = ["a/b"]']
      .join('\n')
      .split('\n')
      .filter((line) => !line.startsWith(`${last} `));
    return `${rest.join('\n')}\n${last} = ${value}\n`;
  }
  const whole = `${FORGE}\n${WEBHOOK}\nprojects = ["a/b"]\n`;
  if (above.length === 0) return `${last} = ${value}\n${whole}`;
  const header = above.map((part) => part.replace('[]', '')).join('.');
  const isList = above.at(-1)?.endsWith('[]') === true;
  return `${whole}${isList ? `[[${header}]]` : `[${header}]`}\n${last} = ${value}\n`;
};

/** Some values are right in some places: what a text is, is decided elsewhere. */
const isDate = (value: string): boolean => /\d{2}[-:]\d{2}/.test(value);

describe('F-F6: a value of a wrong type', () => {
  test.each(PLACES)('at %s is a mistake and never an exception', (place) => {
    for (const value of VALUES) {
      const problems = problemsOf(documentWith(place, value));
      if (isDate(value)) expect({ value, problems: problems.length > 0 }).toEqual({ value, problems: true });
      for (const problem of problems) expect(problem).toMatch(/^[a-z_[\]0-9.<> -]+: \S/);
    }
  });

  test.each([
    ['projects = "owner/name"', /^forge\[0\]\.projects: expected array, received string$/],
    [
      'projects = ["a/b"]\nallowed_bot_user_ids = 7',
      /^forge\[0\]\.allowed_bot_user_ids: expected array, received number$/,
    ],
    ['projects = ["a/b"]\nbot_user_ids = "7"\nallowed_bot_user_ids = [7]', /^forge\[0\]\.bot_user_ids: expected array/],
    ['projects = ["a/b"]\n[review]\nquiet_seconds = 1970-01-01', /^review\.quiet_seconds: expected .*received a date$/],
  ])('%j is the only mistake that is told', (lines, expected) => {
    expect(problemsOf(`${FORGE}\n${WEBHOOK}\n${lines}\n`)).toEqual([expect.stringMatching(expected)]);
  });

  test.each(['review', 'ingress', 'rounds', 'agent', 'messages', 'validation'])(
    'a date is no empty table %s',
    (table) => {
      const text = `${table} = 1970-01-01\n${FORGE}\n${WEBHOOK}\nprojects = ["a/b"]\n`;
      expect(problemsOf(text)).toEqual([`${table}: expected object, received a date`]);
    },
  );

  test.each(['ingress', 'health'])('a line feed or a space is no host of %s', (table) => {
    for (const host of ['0.0.0.0\\n', 'a b', '\\u0000', '', 'http://x']) {
      const text = `${FORGE}\n${WEBHOOK}\nprojects = ["a/b"]\n[${table}]\nhost = "${host}"\n`;
      expect(problemsOf(text)).toEqual([`${table}.host: expected a host name or an IP address`]);
    }
    for (const host of ['::', '127.0.0.1', 'localhost', 'fe80::1%eth0'])
      expect(problemsOf(`${FORGE}\n${WEBHOOK}\nprojects = ["a/b"]\n[${table}]\nhost = "${host}"\n`)).toEqual([]);
  });

  test('anywhere in any document is a mistake and never an exception', () => {
    const places = fc.constantFrom(...PLACES.filter((place) => place.includes('.')));
    fc.assert(
      fc.property(
        fc.uniqueArray(places, { maxLength: 5 }),
        fc.infiniteStream(fc.constantFrom(...VALUES)),
        (chosen, values) => {
          for (const place of chosen) problemsOf(documentWith(place, values.next().value ?? '7'));
        },
      ),
      propertyRuns(200, 5_000),
    );
  });
});
