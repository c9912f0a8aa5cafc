import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCaseFolder } from '../../../services/cli/eval/sets/read-case-folder.ts';
import { parseCases, printCases } from '../../../shared/eval/parse-cases.ts';
import { filesAfterPushes } from '../../../shared/eval/rounds-case.ts';
import { temporaryFolder } from '../workspace/repository.ts';
import { evalCase, roundsCase } from './cases.ts';

test('a case with several pushes is printed and read back, beside a single change', () => {
  const cases = [evalCase(), roundsCase()];
  expect(parseCases(printCases(cases))).toEqual({ cases, problems: [] });
});

test('the files after a push are those of the target branch and of all pushes so far', () => {
  const after = filesAfterPushes({
    before: [{ path: 'a', text: '1' }],
    pushes: [
      { files: [{ path: 'b', text: '2' }], open: [] },
      { files: [{ path: 'a', text: null }], open: [] },
    ],
  });
  expect(after.map((files) => Object.fromEntries(files))).toEqual([{ a: '1', b: '2' }, { b: '2' }]);
});

const FIRST = { files: [{ path: 'src/a.ts', text: 'a();\n\nb();\n' }], open: [] };
const open = (changes: Readonly<Record<string, unknown>>) => [{ id: 'a', path: 'src/a.ts', line: 1, ...changes }];

test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
  ['no push', { pushes: [] }, 'pushes: Too small: expected array to have >=1 items'],
  [
    'a defect that the case does not have',
    { pushes: [{ ...FIRST, open: open({ id: 'b' }) }] },
    'pushes.0.open.0: names the defect b, which the case does not have',
  ],
  [
    'a defect that is named twice',
    { pushes: [{ ...FIRST, open: [...open({}), ...open({ line: 3 })] }] },
    'pushes.0.open.1: names the defect a twice',
  ],
  [
    'a file that is not there any more',
    { pushes: [FIRST, { files: [{ path: 'src/a.ts', text: null }], open: open({}) }] },
    'pushes.1.open.0: names src/a.ts, which does not exist after this push',
  ],
  [
    'a line without code',
    { pushes: [{ ...FIRST, open: open({ line: 2 }) }] },
    'pushes.0.open.0: src/a.ts has no code at line 2 after this push',
  ],
  [
    'a deleted file that never was',
    { pushes: [{ files: [{ path: 'b', text: null }], open: [] }] },
    'pushes.0.files.0: deletes b, which does not exist',
  ],
  ['a field of another kind', { golden: [] }, 'Unrecognized key: "golden"'],
  ['an unknown kind', { kind: 'round' }, 'kind: expected the kind "defect", "clean" or "rounds"'],
])('%s is reported with its line', (_what, changes, text) => {
  const line = JSON.stringify({ ...roundsCase(), ...changes });
  expect(parseCases(`\n${line}\n`)).toEqual({ cases: [], problems: [{ line: 2, text }] });
});

test('in a YAML file, the line is that of the entry', async () => {
  const folder = temporaryFolder();
  const pushes = [
    '  pushes:',
    '    - files: [{ path: a.go, text: "x" }]',
    '      open:',
    '        - { id: a, path: a.go, line: 1 }',
    '        - { id: b, path: a.go, line: 1 }',
  ];
  const head = ['- id: one', '  kind: rounds', '  language: Go', '  defects: { a: { severity: P1, text: x } }'];
  writeFileSync(join(folder.path, 'own.yaml'), `${[...head, ...pushes].join('\n')}\n`);
  await expect(readCaseFolder(folder.path)).rejects.toThrow(
    /^own\.yaml: .*line 9.*names the defect b, which the case does not have$/,
  );
  folder.dispose();
});
