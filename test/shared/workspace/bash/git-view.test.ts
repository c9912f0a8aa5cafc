import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { removeOldCheckouts } from '../../../../shared/workspace/tree/checkout.ts';
import { createGit, SAFE_ATTRIBUTES } from '../../../../shared/workspace/git/git.ts';
import { createGitView, type GitViewSource } from '../../../../shared/workspace/bash/git-view.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let repository: Repository;
let source: GitViewSource;
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'work'));
  repository.write({ a: '1\n' });
  const base = repository.commit('first');
  repository.write({ a: '2\n' });
  const head = repository.commit('second');
  source = { gitPath: GIT, gitDir: repository.gitDir, folder: join(folder.path, 'checkouts'), head, base };
});
afterEach(() => folder.dispose());

const ask = async (gitDir: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await createGit({ gitPath: GIT, gitDir, allowProtocols: [] }).run(args, {}, never());
  return stdout.toString('utf8').trim();
};

it.each(['packed', 'not packed'])('has the history of its head, objects %s', async (how) => {
  if (how === 'packed') repository.git('repack', '-adq');
  const view = await createGitView(source, never());
  expect(await ask(view.path, 'log', '--format=%s')).toBe('second\nfirst');
  expect(await ask(view.path, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(
    `refs/heads/base ${source.base ?? ''}`,
  );
  await view.dispose();
  expect(readdirSync(source.folder)).toEqual([]);
});

it('takes nothing of the mirror but objects: no configuration, hook, attribute, ref or borrowed store', async () => {
  repository.git('config', 'core.fsmonitor', 'touch planted');
  repository.git('config', 'alias.log', 'show');
  writeFileSync(join(repository.gitDir, 'info', 'attributes'), '* diff=trap\n');
  mkdirSync(join(repository.gitDir, 'objects', 'info'), { recursive: true });
  writeFileSync(join(repository.gitDir, 'objects', 'info', 'alternates'), '/nowhere\n');
  const view = await createGitView(source, never());
  expect(readdirSync(view.path).toSorted()).toEqual(['HEAD', 'config', 'info', 'objects', 'refs']);
  expect(readFileSync(join(view.path, 'config'), 'utf8')).not.toMatch(/fsmonitor|alias|remote/);
  expect(readFileSync(join(view.path, 'info', 'attributes'), 'utf8')).toBe(SAFE_ATTRIBUTES);
  expect(existsSync(join(view.path, 'objects', 'info'))).toBe(false);
  await view.dispose();
});

it('can be read by every account, whatever the umask, and costs no second copy', async () => {
  const before = process.umask(0o077);
  try {
    repository.git('repack', '-adq');
    const view = await createGitView(source, never());
    const names = readdirSync(view.path, { recursive: true, encoding: 'utf8' });
    const closed = names.filter((name) => (statSync(join(view.path, name)).mode & 0o004) === 0);
    expect([closed, statSync(view.path).mode & 0o777]).toEqual([[], 0o755]);
    const packs = names.filter((name) => name.endsWith('.pack'));
    expect(packs.map((name) => statSync(join(view.path, name)).nlink)).toEqual([2]);
    await view.dispose();
  } finally {
    process.umask(before);
  }
});

/** Of somebody else's repository, as it must be found again. */
const objectsIn = (gitDir: string) =>
  readdirSync(join(gitDir, 'objects'), { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const { mode, ino, mtimeMs } = statSync(join(gitDir, 'objects', name));
      return `${name} ${mode} ${ino} ${mtimeMs}`;
    });

const borrowing = async (...repositories: readonly Repository[]): Promise<GitViewSource> => {
  const gitDir = join(folder.path, 'scratch.git');
  repository.git('init', '--quiet', '--bare', gitDir);
  return { ...source, gitDir, borrowed: repositories.map((one) => join(one.gitDir, 'objects')) };
};

it.each([
  ['that every account may read by links', 0o444, 2],
  ['that are closed to others by copies', 0o400, 1],
])('borrows objects %s, and changes nothing about them', async (_, mode, links) => {
  repository.git('repack', '-adq');
  const packs = join(repository.gitDir, 'objects', 'pack');
  for (const name of readdirSync(packs)) chmodSync(join(packs, name), mode);
  const before = objectsIn(repository.gitDir);
  const view = await createGitView(await borrowing(repository), never());
  expect(await ask(view.path, 'log', '--format=%s')).toBe('second\nfirst');
  const taken = readdirSync(join(view.path, 'objects', 'pack')).map((name) =>
    statSync(join(view.path, 'objects', 'pack', name)),
  );
  expect(taken.map((file) => [file.mode & 0o777, file.nlink])).toEqual(taken.map(() => [0o444, links]));
  await view.dispose();
  expect(objectsIn(repository.gitDir)).toEqual(before);
});

it('borrows the same object from two repositories, open in one and closed in the other', async () => {
  const other = createRepository(join(folder.path, 'other'));
  other.git('fetch', '--quiet', repository.workTree, 'main');
  const closed = join(other.gitDir, 'objects', source.head.slice(0, 2), source.head.slice(2));
  chmodSync(closed, 0o400);
  const before = [objectsIn(repository.gitDir), objectsIn(other.gitDir)];
  const view = await createGitView(await borrowing(repository, other), never());
  expect(await ask(view.path, 'log', '--format=%s')).toBe('second\nfirst');
  await view.dispose();
  expect([objectsIn(repository.gitDir), objectsIn(other.gitDir)]).toEqual(before);
});

it('knows where a shallow history ends', async () => {
  const shallow = createRepository(join(folder.path, 'shallow'));
  shallow.git('fetch', '--quiet', '--depth=1', `file://${repository.workTree}`, 'main');
  const view = await createGitView({ ...source, gitDir: shallow.gitDir, base: null }, never());
  expect(await ask(view.path, 'log', '--format=%s')).toBe('second');
  await view.dispose();
});

it('leaves a link among the objects alone', async () => {
  const outside = join(folder.path, 'outside');
  writeFileSync(outside, 'x', { mode: 0o600 });
  symlinkSync(outside, join(repository.gitDir, 'objects', 'pack', `pack-${'a'.repeat(40)}.rev`));
  const view = await createGitView(source, never());
  expect(statSync(outside).mode & 0o777).toBe(0o600);
  await view.dispose();
});

it('throws, and leaves nothing behind, when the head is not there', async () => {
  const missing = { ...source, head: CommitSha.parse('1'.repeat(40)) };
  await expect(createGitView(missing, never())).rejects.toMatchObject({ code: 'GIT_FAILED' });
  const nowhere = { ...source, gitDir: join(folder.path, 'nowhere') };
  await expect(createGitView(nowhere, never())).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(readdirSync(source.folder)).toEqual([]);
});

it('is taken away with old checkouts when its process was killed', async () => {
  await createGitView(source, never());
  expect(await removeOldCheckouts(source.folder, { nowMs: Date.now() + 60_000, maxAgeMs: 1_000 })).toBe(1);
  expect(readdirSync(source.folder)).toEqual([]);
});
