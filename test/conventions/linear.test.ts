/**
 * A pattern that can begin anywhere and repeats without a bound may take quadratic time. A file with such a pattern must
 * be measured through `test/support/linear-subjects.ts`, or be listed as not reading untrusted text.
 */
import { expect, test } from 'vitest';
import { importsOf, production, sources, withoutComments } from './source.ts';

const SUBJECTS = 'test/support/linear-subjects.ts';
const KINDS = 'shared/forge/kinds/forge-kind.ts';

/** Files whose patterns read only trusted text, with its source. */
const NO_STRANGERS: Readonly<Record<string, string>> = {
  'shared/config/text/locate-setting.ts': 'the path of a setting, as our own messages name it',
  'shared/forge/gitlab/api/requester.ts': 'the address of the forge, which the operator has set',
  'shared/forge/http.ts': 'the address of the forge, which the operator has set',
  'shared/rounds/plan/outage-plan.ts': 'a time that we have written',
  'shared/runtime/settings-of-brief.ts': 'an address that the operator has set',
  'shared/workspace/cage/bubblewrap.ts': 'what bubblewrap says about its child',
  'shared/workspace/cage/inherited-descriptors.ts': 'what the kernel says about a file descriptor',
};

const PATTERN =
  /(?<=[=(,[:?!&|]\s{0,200}|^\s{0,200}|return )\/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/gm;

/** Replaces each class and escape with one letter. */
const plain = (source: string): string =>
  source.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, 'C').replaceAll(/\\p\{\w+\}|\\./g, 'E');

const isRisky = (source: string, flags: string): boolean => {
  const text = plain(source);
  const beginsAnywhere = (!text.startsWith('^') || flags.includes('m')) && !flags.includes('y');
  // A single repeated character is linear.
  return beginsAnywhere && /[*+]|\{\d+,\}/.test(text) && !/^.(?:[*+]|\{\d+,\})$/.test(text);
};

const risky = production
  .filter(({ text }) =>
    [...withoutComments(text).matchAll(PATTERN)].some(([, source = '', flags = '']) => isRisky(source, flags)),
  )
  .map(({ path }) => path);

const reachable = (): ReadonlySet<string> => {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const ahead = [SUBJECTS];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    // The table of the kinds of forges imports all adapters, of which a subject calls none.
    if (path !== KINDS) ahead.push(...importsOf(file));
  }
  return reached;
};

test('patterns that could take the square of a text are measured on texts made for that, or read no stranger’s', () => {
  const measured = reachable();
  const asked = risky.filter((path) => !measured.has(path));
  expect(asked.toSorted()).toEqual(Object.keys(NO_STRANGERS).toSorted());
});

test.each([
  ['/ +$/', true],
  ['/a.*b/g', true],
  ['/^a.*b/m', true],
  ['/^a.*b/', false],
  ['/ +/g', false],
  ['/[a-z]+/', false],
  ['/a{2,9}b/', false],
  ['/a{2,}b/', true],
])('of %s it is known whether it could: %s', (pattern, expected) => {
  const [[, source = '', flags = ''] = []] = [...`x = ${pattern}`.matchAll(PATTERN)];
  expect(isRisky(source, flags)).toBe(expected);
});
