import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findMirror } from '../../../../shared/workspace/mirror/find-mirror.ts';
import { temporaryFolder } from '../repository.ts';

const PROJECT = { forge: 'home', projectId: 1 };

const dataFolder = (...mirrors: readonly string[]): string => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.dispose());
  for (const name of mirrors) mkdirSync(join(folder.path, 'mirrors', name), { recursive: true });
  return folder.path;
};

it('finds the newest generation, because the others are abandoned', async () => {
  const data = dataFolder('home.1.git', 'home.1.git.g2', 'home.1.git.g10', 'home.11.git.g20');
  expect(await findMirror(data, PROJECT)).toBe(join(data, 'mirrors', 'home.1.git.g10'));
});

it('finds the newest generation also after the first is removed', async () => {
  const data = dataFolder('home.1.git.g1');
  expect(await findMirror(data, PROJECT)).toBe(join(data, 'mirrors', 'home.1.git.g1'));
});

it('names the first generation if there is none, or no folder of mirrors', async () => {
  const empty = dataFolder();
  expect(await findMirror(empty, PROJECT)).toBe(join(empty, 'mirrors', 'home.1.git'));
  const data = dataFolder('home.2.git');
  expect(await findMirror(data, PROJECT)).toBe(join(data, 'mirrors', 'home.1.git'));
});
