import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder } from '../../../../shared/workspace/process/remove-folder.ts';
import { asOtherUser, OTHER_USER } from '../../../support/as-other-user.ts';
import { temporaryFolder } from '../repository.ts';

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
beforeEach(() => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o777);
  home = join(folder.path, 'home');
});
afterEach(() => folder.dispose());

/** Folders with these modes, one in the other, each with a file. */
const nested = (...modes: readonly number[]): void => {
  const paths = modes.map((_mode, depth) => join(home, ...Array.from({ length: depth }, () => 'mod')));
  for (const path of paths) {
    mkdirSync(path);
    writeFileSync(join(path, 'file'), 'x');
    chownSync(path, OTHER_USER, -1);
  }
  for (const [depth, mode] of [...modes.entries()].toReversed()) chmodSync(paths[depth] ?? '', mode);
};

it.each<[string, readonly number[]]>([
  ['that may be written', [0o755, 0o755]],
  ['that its owner may not write, as the module cache of Go', [0o755, 0o555, 0o555]],
  ['that its owner may not list', [0o755, 0o000]],
  ['that its owner may do nothing with', [0o000]],
])('removes a folder %s', async (_what, modes) => {
  nested(...modes);
  await asOtherUser(async () => removeFolder(home));
  expect(existsSync(home)).toBe(false);
});

it('removes a link, and neither what it names nor the modes of that', async () => {
  const kept = join(folder.path, 'kept');
  mkdirSync(kept);
  writeFileSync(join(kept, 'file'), 'x');
  chmodSync(kept, 0o555);
  nested(0o755);
  symlinkSync(kept, join(home, 'link'));
  chmodSync(home, 0o555);
  await asOtherUser(async () => removeFolder(home));
  expect([existsSync(home), readFileSync(join(kept, 'file'), 'utf8')]).toEqual([false, 'x']);
});

it('is done where there is no folder, and says why one cannot be removed', async () => {
  await removeFolder(home);
  mkdirSync(join(home, 'of-root'), { recursive: true });
  chmodSync(home, 0o755);
  if (process.geteuid?.() !== 0) return;
  await expect(asOtherUser(async () => removeFolder(home))).rejects.toMatchObject({ code: 'EACCES' });
});
