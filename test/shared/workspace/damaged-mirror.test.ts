import { appendFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { FetchRequest } from '../../../shared/workspace/mirror/fetch-head.ts';
import { createMirror, type Mirror } from '../../../shared/workspace/mirror/mirror.ts';
import { createRevisions } from '../../../shared/workspace/git/revisions.ts';
import { onSoundMirror } from '../../../shared/workspace/mirror/sound-mirror.ts';
import { type GitHttpServer, serveGit } from '../../support/git-http.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from './repository.ts';

let folder = temporaryFolder();
let repository: Repository;
let server: GitHttpServer;
let head: CommitSha;
let damages: unknown[];

beforeEach(async () => {
  folder = temporaryFolder();
  damages = [];
  repository = createRepository(join(folder.path, 'served', 'project'));
  repository.write({ a: 'one\n' });
  repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'feature');
  repository.write({ a: 'two\n' });
  head = repository.commit('feature');
  repository.git('update-ref', 'refs/pull/7/head', head);
  server = await serveGit({ root: join(folder.path, 'served'), authorise: () => ({ kind: 'allow' }) });
  await read();
});
afterEach(async () => {
  await server.close();
  folder.dispose();
});

const open = (): Promise<Mirror> =>
  createMirror(
    { dataFolder: join(folder.path, 'data'), gitPath: GIT, forge: 'home', projectId: 42, allowProtocols: [] },
    never(),
  );

const request = (): FetchRequest => ({
  source: { url: `${server.url}/project/.git`, headRef: 'refs/pull/7/head' },
  expectedHead: head,
  targetBranch: 'main',
  credential: null,
});

const gitDir = (): string => join(folder.path, 'data', 'mirrors', 'home.42.git');

/** Fetches, and reads the change as a review does. */
const work = async (mirror: Mirror): Promise<string> => {
  const fetched = await mirror.fetchHead(request(), never());
  if (fetched.kind !== 'fetched') throw new Error(fetched.kind);
  const revisions = createRevisions(mirror.git);
  try {
    return (await revisions.diff({ target: fetched.targetHead, head }, never())).kind;
  } finally {
    revisions.close();
  }
};

const read = (): Promise<string> =>
  onSoundMirror({ open, work, onDamaged: (error) => void damages.push(error) }, never());

const packs = (): readonly string[] =>
  readdirSync(join(gitDir(), 'objects', 'pack')).map((name) => join(gitDir(), 'objects', 'pack', name));

const overwrite = (suffix: string): void => {
  for (const file of packs().filter((name) => name.endsWith(suffix))) {
    rmSync(file);
    writeFileSync(file, 'broken');
  }
};

const DAMAGES: Readonly<Record<string, () => void>> = {
  'broken packs': () => overwrite('.pack'),
  'broken indexes of packs': () => overwrite('.idx'),
  'objects that are gone': () => rmSync(join(gitDir(), 'objects'), { recursive: true }),
  'no HEAD': () => rmSync(join(gitDir(), 'HEAD')),
  'a broken list of references': () => writeFileSync(join(gitDir(), 'packed-refs'), 'no reference\n'),
};

describe('F-E6: a damaged mirror', () => {
  it.each(Object.keys(DAMAGES))('is left behind and fetched again: %s', async (name) => {
    DAMAGES[name]?.();
    expect(await read()).toBe('diff');
    expect(damages).toHaveLength(1);
    expect(await read()).toBe('diff');
    expect(damages).toHaveLength(1);
    expect(readdirSync(join(folder.path, 'data', 'mirrors'))).toContain('home.42.git.g1');
  });

  it('is still there for whoever reads it, and its locks stop nobody', async () => {
    const reader = await open();
    appendFileSync(join(gitDir(), 'packed-refs'), 'no reference\n');
    expect(await read()).toBe('diff');
    expect(existsSync(join(reader.git.gitDir, 'objects'))).toBe(true);
    const mirror = await open();
    for (const name of ['packed-refs.lock', 'HEAD.lock', 'gc.pid', 'refs/fixpoint.lock'])
      writeFileSync(join(mirror.git.gitDir, name), '');
    expect(await read()).toBe('diff');
    expect(damages).toHaveLength(1);
  });

  it('is left behind by one of two that find it', async () => {
    overwrite('.pack');
    expect(await Promise.all([read(), read(), read()])).toEqual(['diff', 'diff', 'diff']);
    expect(readdirSync(join(folder.path, 'data', 'mirrors')).filter((name) => /\.g\d+$/.test(name))).toEqual([
      'home.42.git.g1',
    ]);
  });

  it('is not what a server is that is away', async () => {
    await server.close();
    await expect(read()).rejects.toMatchObject({ code: 'GIT_FAILED', fields: { remote: true } });
    expect(damages).toEqual([]);
    server = await serveGit({ root: join(folder.path, 'served'), authorise: () => ({ kind: 'allow' }) });
  });
});
