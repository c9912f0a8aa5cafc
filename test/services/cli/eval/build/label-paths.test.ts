/** The files that labels mean whose path lacks its first folders, in a real repository. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLabelPaths } from '../../../../../services/cli/eval/build/label-paths.ts';
import { EvalGolden } from '../../../../../shared/eval/case.ts';
import { CommitSha } from '../../../../../shared/vocabulary/ids.ts';
import { createRepository, GIT, never, temporaryFolder } from '../../../../shared/workspace/repository.ts';

let folder: ReturnType<typeof temporaryFolder>;
let change: Parameters<typeof findLabelPaths>[1];

beforeAll(() => {
  folder = temporaryFolder();
  const repository = createRepository(join(folder.path, 'shop'));
  repository.write({ 'old/gone.js': 'a\n' });
  const base = repository.commit('base');
  repository.write({
    'old/gone.js': null,
    'index.js': 'a\n',
    'lib/index.js': 'a\nb\nc\nd\n',
    'lib/trim.js': 'a\n',
    'lib/untrim.js': 'a\n',
    'node_modules/other/trim.js': 'a\n',
    'lib/split.js': 'a\n',
    'src/split.js': 'a\n',
  });
  const head = repository.commit('head');
  change = {
    directory: join(folder.path, 'shop/.git'),
    base: CommitSha.parse(base),
    head: CommitSha.parse(head),
    gitPath: GIT,
  };
});
afterAll(() => folder.dispose());

const label = (changes: object): EvalGolden =>
  EvalGolden.parse({ from: 1, text: 'A defect', severity: 'P1', pathEnd: true, ...changes });

const find = async (...labels: readonly object[]) => findLabelPaths(labels.map(label), change, never());

test('a label means the file with its path, or the only one that ends with it and has its line', async () => {
  expect(
    await find(
      { path: 'index.js' },
      { path: 'trim.js' },
      { path: 'gone.js', side: 'old' },
      { path: 'none.js', pathEnd: undefined },
    ),
  ).toEqual({ 'index.js': 'index.js', 'trim.js': 'lib/trim.js', 'gone.js': 'old/gone.js' });
  expect(await find({ path: 'index.js', from: 4 })).toEqual({ 'index.js': 'lib/index.js' });
});

test('a label that means no file or several ones makes the case unusable', async () => {
  await expect(find({ path: 'none.js' })).rejects.toThrow('a label names none.js:1, which the change does not have');
  await expect(find({ path: 'trim.js', from: 9 })).rejects.toThrow('trim.js:9, which the change does not have');
  await expect(find({ path: 'split.js' })).rejects.toThrow(
    'a label names split.js:1, which could be any of lib/split.js, src/split.js',
  );
});
