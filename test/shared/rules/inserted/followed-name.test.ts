/** A long name is unknown, instead of an expression that takes long or that the engine refuses. */
import { describe, expect, test } from 'vitest';
import { isCheckedAbove } from '../../../../shared/rules/inserted/checked-values.ts';
import { isDeclaredNumber } from '../../../../shared/rules/inserted/declared-types.ts';
import { insertsForeignValue } from '../../../../shared/rules/inserted/harmless.ts';
import { localValues } from '../../../../shared/rules/inserted/local-values.ts';
import { isParameterOfFunction, isParameterOnLine } from '../../../../shared/rules/inserted/parameters.ts';
import { takenFrom } from '../../../../shared/rules/inserted/taken-from.ts';
import { isVisiblyForeign } from '../../../../shared/rules/inserted/visibly-foreign.ts';
import { createPassedValues } from '../../../../shared/rules/patterns/passed-patterns.ts';
import { listsOfItem, tablePatterns } from '../../../../shared/rules/patterns/pattern-tables.ts';
import { cpuMs } from '../../../support/doubling.ts';

const KI = 1024;
const MOST_MS = 1_000;

type Asked = { readonly name: string; readonly text: string; readonly lines: readonly string[]; readonly line: number };

const askedAbout = (name: string): Asked => {
  const head = `function f(req, ${name}) {`;
  const written = [
    head,
    `  let ${name} = req.query.x;`,
    `  const { ${name} } = req.body;`,
    `  ${name}[] = "a";`,
    `  if (!/^a$/.test(${name})) return;`,
    `  ${name}(${name})`,
    '}',
  ];
  return { name, text: written.join('\n'), lines: written, line: 6 };
};

const CASES: readonly (readonly [string, (asked: Asked) => unknown])[] = [
  ['its values', ({ name, lines, line }) => localValues(name, { lines, line, language: 'JavaScript' })],
  [
    'a parameter on its line',
    ({ name, lines, line }) => isParameterOnLine(name, { lines, line, language: 'JavaScript' }),
  ],
  ['a parameter around it', ({ name, lines, line }) => isParameterOfFunction(name, { lines, line, language: 'Php' })],
  ['what it is taken out of', ({ name, lines, line }) => takenFrom(name, { lines, line, language: 'JavaScript' })],
  ['its type', ({ name, lines, line }) => isDeclaredNumber(name, { lines, line, language: 'TypeScript' })],
  ['checks of it', ({ name, lines, line }) => isCheckedAbove(name, { lines, line, language: 'JavaScript' })],
  ['a table', ({ name, text }) => tablePatterns(name, text)],
  ['a list', ({ name, lines, line }) => listsOfItem(name, lines, line)],
  ['calls', ({ name, text, line }) => createPassedValues(`${text}\nfunction ${name}(a) {\n`)(name, line)],
  [
    'an insertion',
    ({ name, lines, line }) =>
      insertsForeignValue(`"a" + ${name}`, { for: 'sql' }, { lines, line, language: 'JavaScript' }),
  ],
  [
    'where it visibly comes from',
    ({ name, lines, line }) =>
      isVisiblyForeign([{ code: name, before: "'" }], 'outside or text', { lines, line, language: 'JavaScript' }),
  ],
];

describe.each(CASES)('%s', (_what, ask) => {
  test.each([8 * KI, 64 * KI, KI * KI])('of a name of %i characters is unknown at once', async (characters) => {
    const asked = askedAbout('a'.repeat(characters));
    expect(await cpuMs(() => ask(asked))).toBeLessThan(MOST_MS);
  });
});

test('a name of usual length is followed', () => {
  const { lines, line } = askedAbout('a'.repeat(200));
  const use = { lines, line, language: 'JavaScript' } as const;
  expect(localValues('a'.repeat(200), use)).toMatchObject({ kind: 'values' });
  expect(isParameterOfFunction('a'.repeat(200), use)).toBe(true);
});
