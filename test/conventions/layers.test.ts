import { expect, test } from 'vitest';
import { filesPerFolder, importCycles, LAYERS, MAX_FILES, wrongImports } from './layers.ts';

test('a folder imports only folders below it, types included', () => {
  expect(wrongImports()).toEqual([]);
});

test('no file imports, by whatever way round, a file that imports it', () => {
  expect(importCycles()).toEqual([]);
});

test('every product folder is in the table, and the table names no other', () => {
  expect(LAYERS.map(([folder]) => folder).toSorted()).toEqual([...filesPerFolder().keys()].toSorted());
});

test(`no product folder has more than ${MAX_FILES} files lying directly in it`, () => {
  expect([...filesPerFolder()].filter(([, count]) => count > MAX_FILES)).toEqual([]);
});

test.each<[name: string, path: string, imports: string]>([
  ['an import of a higher folder', 'shared/text/a.ts', '../rounds/gate/gate.ts'],
  ['an import of a type of a higher folder', 'shared/rounds/model/a.ts', '../gate/gate.ts'],
  ['a decision that imports a plan', 'shared/rounds/decide/a.ts', '../plan/empty-plan.ts'],
  ['a folder that the table does not name', 'shared/text/a.ts', '../new/b.ts'],
])('notices %s', (_name, path, imports) => {
  const text = `import type { A } from '${imports}';\n`;
  expect(wrongImports([{ path, text }])).toHaveLength(1);
});

test('notices a cycle of types', () => {
  const files = ['a', 'b', 'c'].map((name, at, all) => ({
    path: `shared/text/${name}.ts`,
    text: `import type { A } from './${all[(at + 1) % 3] ?? ''}.ts';\n`,
  }));
  expect(importCycles(files)).toHaveLength(1);
});
