import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createRevisions } from '../../../../shared/workspace/git/revisions.ts';
import { createMirror, type Mirror } from '../../../../shared/workspace/mirror/mirror.ts';
import { measureMirror } from '../../../../shared/workspace/mirror/mirror-bytes.ts';
import { createMirrorKeeper, type MirrorKeeper } from '../../../../shared/workspace/mirror/mirror-keeper.ts';
import { listMirrors } from '../../../../shared/workspace/mirror/kept-mirrors.ts';
import { removeMirror } from '../../../../shared/workspace/mirror/remove-mirror.ts';
import { mirrorBase } from '../../../../shared/workspace/mirror/mirror-place.ts';
import { onSoundMirror } from '../../../../shared/workspace/mirror/sound-mirror.ts';
import { mountSmallDisk } from '../../../support/full-disk.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../repository.ts';

const SIZE = 200_000;
const DAY_MS = 24 * 3_600_000;

let folder = temporaryFolder();
let dataFolder: string;
let repository: Repository;
let head: CommitSha;
let told: string[];
let children: ChildProcess[];

beforeEach(() => {
  folder = temporaryFolder();
  dataFolder = join(folder.path, 'data');
  told = [];
  children = [];
  repository = createRepository(join(folder.path, 'forge'));
  repository.write({ a: 'one\n' });
  repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'feature');
  repository.write({ a: 'two\n', large: randomBytes(SIZE) });
  head = repository.commit('feature');
  repository.git('update-ref', 'refs/pull/7/head', head);
});
afterEach(async () => {
  for (const child of children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  folder.dispose();
});

const mirrors = (): string => join(dataFolder, 'mirrors');
const base = (projectId: number): string => mirrorBase(mirrors(), { forge: 'home', projectId });
const entries = (): readonly string[] => readdirSync(mirrors()).toSorted();
const kept = (): readonly string[] => entries().filter((name) => /\.git(?:\.g\d+)?$/.test(name));

const keep = (maxBytes: number, afterMs = 0): MirrorKeeper =>
  createMirrorKeeper(
    { folder: mirrors(), maxBytes, unusedMs: DAY_MS },
    {
      onEvicted: ({ base: gone, reason }) => void told.push(`${gone.slice(mirrors().length + 1)} ${reason}`),
      onOversized: ({ base: large }) => void told.push(`${large.slice(mirrors().length + 1)} is too large`),
      onMeasured: () => {},
      onTrouble: (error) => {
        throw error;
      },
      nowMs: () => Date.now() + afterMs,
      signal: never(),
    },
  );

const open = async (projectId: number, keeper?: MirrorKeeper): Promise<Mirror> =>
  createMirror(
    {
      dataFolder,
      gitPath: GIT,
      forge: 'home',
      projectId,
      allowProtocols: ['file'],
      ...(keeper === undefined ? {} : { onReleased: keeper.settle }),
    },
    never(),
  );

/** Fetches, and reads the change as a review does. */
const read = async (mirror: Mirror): Promise<string> => {
  const source = { url: `file://${repository.workTree}`, headRef: 'refs/pull/7/head' };
  const fetched = await mirror.fetchHead(
    { source, expectedHead: head, targetBranch: 'main', credential: null },
    never(),
  );
  if (fetched.kind !== 'fetched') throw new Error(fetched.kind);
  const revisions = createRevisions(mirror.git);
  try {
    return (await revisions.diff({ target: fetched.targetHead, head }, never())).kind;
  } finally {
    revisions.close();
  }
};

const review = async (projectId: number, keeper?: MirrorKeeper): Promise<string> =>
  onSoundMirror(
    {
      open: async () => open(projectId, keeper),
      work: read,
      onDamaged: (error) => {
        throw error;
      },
    },
    never(),
  );

/** As if the last use had ended at this time. */
const usedBefore = (projectId: number, ms: number): void => {
  const at = new Date(Date.now() - ms);
  utimesSync(`${base(projectId)}.use`, at, at);
};

const start = (name: string, ...args: readonly string[]): ChildProcess => {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const child = fork(script, args, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.push(child);
  return child;
};

const holding = async (projectId: number): Promise<ChildProcess> => {
  const child = start('./hold-mirror.ts', dataFolder, `${projectId}`);
  await once(child, 'message');
  return child;
};

describe('tidy', () => {
  it('removes the least recently used mirrors beyond the cap, and the next review fetches again', async () => {
    for (const projectId of [1, 2, 3]) {
      await review(projectId, keep(1e9));
      usedBefore(projectId, (10 - projectId) * 1000);
    }
    await keep(2.5 * SIZE).tidy();
    expect(told).toEqual(['home.1.git cap']);
    expect(kept()).toEqual(['home.2.git', 'home.3.git']);
    expect(entries().filter((name) => name.startsWith('home.1') || name.startsWith('gone'))).toEqual([]);
    expect(await review(1)).toBe('diff');
  });

  it('removes a mirror that was not used for long, but none that was', async () => {
    for (const projectId of [1, 2]) await review(projectId);
    usedBefore(1, DAY_MS + 1000);
    usedBefore(2, DAY_MS - 60_000);
    await keep(1e9).tidy();
    expect(told).toEqual(['home.1.git unused']);
    expect(kept()).toEqual(['home.2.git']);
  });

  it('takes the time of a mirror of an earlier version from its folder', async () => {
    for (const projectId of [1, 2]) await review(projectId);
    execFileSync('/bin/rm', ['-r', `${base(1)}.use`, `${base(2)}.use`]);
    utimesSync(base(1), new Date(0), new Date(0));
    await keep(1e9).tidy();
    expect(kept()).toEqual(['home.2.git']);
  });

  it('removes abandoned generations after their time, and leaves the folders of others alone', async () => {
    await review(1);
    const mirror = await open(1);
    execFileSync('/bin/rm', ['-r', join(base(1), 'objects')]);
    expect(await mirror.discardIfDamaged('objects', never())).toBe(true);
    await mirror.release();
    await review(1);
    mkdirSync(join(mirrors(), 'something else'));
    await keep(1e9).tidy();
    expect(kept()).toEqual(['home.1.git', 'home.1.git.g1']);
    await keep(1e9, DAY_MS - 60_000).tidy();
    expect(kept()).toEqual(['home.1.git', 'home.1.git.g1']);
    usedBefore(1, -DAY_MS);
    await keep(1e9, DAY_MS + 1000).tidy();
    expect(kept()).toEqual(['home.1.git.g1']);
    expect(existsSync(join(mirrors(), 'something else'))).toBe(true);
  });

  it('reports what it cannot do, and does not throw', async () => {
    await review(1);
    const troubles: unknown[] = [];
    const keeper = createMirrorKeeper(
      { folder: join(base(1), 'HEAD', 'x'), maxBytes: 1, unusedMs: 1 },
      {
        onEvicted: () => {},
        onOversized: () => {},
        onMeasured: () => {
          throw new Error('no');
        },
        onTrouble: (error) => void troubles.push(error),
        nowMs: Date.now,
        signal: never(),
      },
    );
    await keeper.tidy();
    expect(await keeper.makeRoom({ forge: 'home', projectId: 1 }, never())).toBe(false);
    expect(troubles).toHaveLength(2);
  });
});

describe('a mirror in use', () => {
  it('stays while this process uses it, and may go afterwards', async () => {
    const mirror = await open(1);
    await read(mirror);
    await keep(1).tidy();
    expect(await read(mirror)).toBe('diff');
    await mirror.release();
    await keep(1).tidy();
    expect(kept()).toEqual([]);
  });

  it('stays if its use began after it was listed, or also ended since', async () => {
    await review(1);
    const [listed] = await listMirrors(mirrors(), Date.now());
    if (listed === undefined) throw new Error('no mirror');
    const mirror = await open(1);
    const removing = { nowMs: Date.now() };
    expect(await removeMirror({ ...listed, usedAtMs: Number.MAX_VALUE }, removing, never())).toBe('in_use');
    await mirror.release();
    usedBefore(1, -5000);
    expect(await removeMirror(listed, removing, never())).toBe('in_use');
    expect(await removeMirror({ ...listed, usedAtMs: Number.MAX_VALUE }, removing, never())).toBe('removed');
  });

  it('is gone, and not removed, for the second process that removes it', async () => {
    await review(1);
    const [listed] = await listMirrors(mirrors(), Date.now());
    if (listed === undefined) throw new Error('no mirror');
    const removing = { nowMs: Date.now() };
    expect(await removeMirror(listed, removing, never())).toBe('removed');
    expect(await removeMirror(listed, removing, never())).toBe('gone');
  });

  it('stays while another process uses it, until that process is killed', async () => {
    await review(1);
    const child = await holding(1);
    usedBefore(1, DAY_MS * 2);
    await keep(1).tidy();
    expect(kept()).toEqual(['home.1.git']);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await keep(1).tidy();
    expect(kept()).toEqual([]);
  });

  it('stays until the other process releases it', async () => {
    const child = await holding(1);
    await keep(1, DAY_MS / 2).tidy();
    expect(kept()).toEqual(['home.1.git']);
    child.send('stop');
    await once(child, 'exit');
    usedBefore(1, DAY_MS);
    await keep(1).tidy();
    expect(kept()).toEqual([]);
  });

  it('stays if it is marked by another machine that refreshed the mark during the last day', async () => {
    await review(1);
    const mark = join(`${base(1)}.use`, 'by-other');
    writeFileSync(mark, 'elsewhere 1 other');
    await keep(1).tidy();
    expect(kept()).toEqual(['home.1.git']);
    const at = new Date(Date.now() - DAY_MS - 1000);
    utimesSync(mark, at, at);
    await keep(1).tidy();
    expect(kept()).toEqual([]);
  });

  it('is never removed, however often two processes remove and open it', async () => {
    const keeper = keep(1);
    const done = new AbortController();
    const removing = (async (): Promise<void> => {
      while (!done.signal.aborted) await keeper.tidy();
    })();
    const other = await holding(1);
    for (let count = 0; count < 5; count += 1) expect(await review(1)).toBe('diff');
    expect(kept()).toEqual(['home.1.git']);
    other.send('stop');
    await once(other, 'exit');
    for (let count = 0; count < 10; count += 1) expect(await review(1, keeper)).toBe('diff');
    done.abort();
    await removing;
    await keeper.tidy();
    expect(kept()).toEqual([]);
  });
});

describe('a process that is killed while it removes a mirror', () => {
  it.each(['before-move', 'after-move', 'after-move:2', 'after-move:3', 'after-removal', 'after-removal:2'])(
    'at %s leaves nothing that a review trusts, and the rest is removed later',
    async (step) => {
      await review(1);
      const mirror = await open(1);
      execFileSync('/bin/rm', ['-r', join(base(1), 'objects', 'pack')]);
      for (const name of readdirSync(join(base(1), 'objects')).filter((each) => each.length === 2))
        execFileSync('/bin/rm', ['-r', join(base(1), 'objects', name)]);
      expect(await mirror.discardIfDamaged('objects', never())).toBe(true);
      await mirror.release();
      await review(1);
      const child = start('./remove-killed.ts', mirrors(), step);
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      expect(await review(1)).toBe('diff');
      await keep(1, 2 * DAY_MS).tidy();
      expect(entries()).toEqual([]);
    },
  );
});

describe('a mirror larger than the cap', () => {
  it('is reviewed, then removed, and reported once', async () => {
    const keeper = keep(SIZE / 2);
    for (let count = 0; count < 3; count += 1) expect(await review(1, keeper)).toBe('diff');
    expect(kept()).toEqual([]);
    expect(told).toEqual(['home.1.git is too large', ...Array.from({ length: 3 }, () => 'home.1.git oversized')]);
    await review(1, keep(SIZE / 4));
    expect(told.slice(4)).toEqual(['home.1.git is too large', 'home.1.git oversized']);
    await keep(SIZE / 4, 2 * DAY_MS).tidy();
    expect(entries()).toEqual([]);
  });

  it('evicts no other mirror', async () => {
    repository.write({ large: randomBytes(1000) });
    head = repository.commit('smaller');
    repository.git(
      'update-ref',
      'refs/pull/7/head',
      repository.git('commit-tree', `${head}^{tree}`, '-p', 'main', '-m', 'x'),
    );
    head = repository.git('rev-parse', 'refs/pull/7/head') as CommitSha;
    const small = keep(SIZE / 2);
    await review(2, small);
    repository.write({ large: randomBytes(SIZE) });
    head = repository.commit('larger');
    repository.git('update-ref', 'refs/pull/7/head', head);
    await review(1, small);
    expect(kept()).toEqual(['home.2.git']);
  });
});

describe('a full disk', () => {
  it('removes other mirrors, and the review succeeds at the second attempt', async ({ skip }) => {
    const disk = (await mountSmallDisk()) ?? skip('this account may not mount a file system');
    try {
      dataFolder = disk.folder;
      repository.write({ large: randomBytes(6_000_000) });
      head = repository.commit('large');
      repository.git('update-ref', 'refs/pull/7/head', head);
      const keeper = keep(1e9);
      for (const projectId of [1, 2]) await review(projectId, keeper);
      const makeRoom = async (_error: unknown, signal: AbortSignal): Promise<boolean> =>
        keeper.makeRoom({ forge: 'home', projectId: 3 }, signal);
      const sound = { open: async () => open(3, keeper), work: read, onDamaged: () => {} };
      await expect(onSoundMirror(sound, never())).rejects.toMatchObject({ code: 'GIT_DISK_FULL' });
      expect(await onSoundMirror({ ...sound, makeRoom }, never())).toBe('diff');
      expect(told).toEqual(['home.1.git disk_full']);
      await disk.fill();
      await expect(onSoundMirror({ ...sound, makeRoom: undefined }, never())).rejects.toThrow(/ENOSPC/);
      expect(await onSoundMirror({ ...sound, makeRoom }, never())).toBe('diff');
      expect(kept()).toEqual(['home.3.git']);
    } finally {
      await disk.dispose();
    }
  });

  it('removes a mirror once, and counts it once, for two jobs at the same time', async () => {
    for (const projectId of [1, 2]) await review(projectId);
    usedBefore(1, 10_000);
    const keepers = [keep(1e9), keep(1e9), keep(1e9), keep(1e9)];
    const made = await Promise.all(
      keepers.map(async (keeper) => keeper.makeRoom({ forge: 'home', projectId: 2 }, never())),
    );
    expect(made).toContain(true);
    expect(told).toEqual(['home.1.git disk_full']);
    expect(kept()).toEqual(['home.2.git']);
    expect(await keep(1e9).makeRoom({ forge: 'home', projectId: 2 }, never())).toBe(false);
  });

  it('is an error if nothing can be removed', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    let calls = 0;
    const sound = {
      open: async () => open(1),
      work: async () => {
        calls += 1;
        throw new Error('wrapped', { cause: full });
      },
      onDamaged: () => {},
      makeRoom: async () => keep(1e9).makeRoom({ forge: 'home', projectId: 1 }, never()),
    };
    await expect(onSoundMirror(sound, never())).rejects.toThrow('wrapped');
    expect(calls).toBe(1);
    expect(kept()).toEqual(['home.1.git']);
  });
});

describe('the size of a mirror', () => {
  it('is that of its objects, exactly for few and estimated for many loose ones', async () => {
    for (let count = 0; count < 40; count += 1) repository.write({ [`file${count}`]: randomBytes(10_000) });
    head = repository.commit('many');
    repository.git('update-ref', 'refs/pull/7/head', head);
    await review(1);
    const exact = await measureMirror(base(1));
    expect(exact).toBeGreaterThan(40 * 10_000 + SIZE);
    expect(exact).toBeLessThan(2 * (40 * 10_000 + SIZE));
    expect(await measureMirror(join(mirrors(), 'none'))).toBe(0);
    const tiny = join(folder.path, 'tiny');
    for (let index = 0; index < 256; index += 1) {
      const part = join(tiny, 'objects', index.toString(16).padStart(2, '0'));
      mkdirSync(part, { recursive: true });
      for (const name of ['one', 'two']) writeFileSync(join(part, name), randomBytes(5000));
    }
    expect(await measureMirror(tiny, 10)).toBe(await measureMirror(tiny));
  });

  it('does not count what a killed fetch left, because the next use removes it', async () => {
    await review(1);
    const left = join(base(1), 'objects', 'pack', 'tmp_pack_abc');
    writeFileSync(left, randomBytes(100));
    await review(1);
    expect(existsSync(left)).toBe(false);
  });
});
