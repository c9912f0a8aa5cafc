import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createRevisions } from '../../../../shared/workspace/git/revisions.ts';
import { CARE_EVERY_MS, type CareResult, careForMirror } from '../../../../shared/workspace/mirror/mirror-care.ts';
import { createMirrorCarer } from '../../../../shared/workspace/mirror/mirror-carer.ts';
import { createMirror, type Mirror } from '../../../../shared/workspace/mirror/mirror.ts';
import { mirrorBase, mirrorsFolder } from '../../../../shared/workspace/mirror/mirror-place.ts';
import { openMirrorOf } from '../../../../shared/workspace/mirror/open-head.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../repository.ts';

const IDLE_MS = 30 * CARE_EVERY_MS;
const START_MS = Date.now();

let folder = temporaryFolder();
let dataFolder: string;
let base: string;
let repository: Repository;
let pushes: number;

beforeEach(() => {
  folder = temporaryFolder();
  dataFolder = join(folder.path, 'data');
  base = mirrorBase(mirrorsFolder(dataFolder), { forge: 'home', projectId: 1 });
  repository = createRepository(join(folder.path, 'forge'));
  repository.write({ a: 'one\n' });
  repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'feature');
  pushes = 0;
});
afterEach(() => folder.dispose());

const open = async (): Promise<Mirror> =>
  createMirror({ dataFolder, gitPath: GIT, forge: 'home', projectId: 1, allowProtocols: ['file'] }, never());

/** Pushes to the change request, fetches it, and reads the change as a review does. */
const review = async (number: number, whileOpen: () => Promise<unknown> = async () => {}): Promise<CommitSha> => {
  pushes += 1;
  repository.write({ [`file-${number}`]: `push ${pushes}\n` });
  const head = repository.commit(`push ${pushes}`);
  repository.git('update-ref', `refs/pull/${number}/head`, head);
  const mirror = await open();
  try {
    const source = { url: `file://${repository.workTree}`, headRef: `refs/pull/${number}/head` };
    const wish = { source, expectedHead: head, targetBranch: 'main', credential: null };
    const fetched = await mirror.fetchHead(wish, never());
    if (fetched.kind !== 'fetched') throw new Error(fetched.kind);
    const revisions = createRevisions(mirror.git);
    try {
      expect(await revisions.exists(head, never())).toBe(true);
      await whileOpen();
      expect((await revisions.diff({ target: fetched.targetHead, head }, never())).kind).toBe('diff');
    } finally {
      revisions.close();
    }
    return head;
  } finally {
    await mirror.release();
  }
};

const reviewMany = async (count: number): Promise<readonly CommitSha[]> => {
  const heads: CommitSha[] = [];
  for (let push = 0; push < count; push += 1) heads.push(await review(1 + (push % 4)));
  return heads;
};

const packs = (): number => readdirSync(join(base, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;
const looseRefs = (): number =>
  readdirSync(join(base, 'refs'), { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{40}$/.test(name))
    .length;
const inMirror = (...args: readonly string[]): string =>
  execFileSync(GIT, ['--git-dir', base, ...args], { encoding: 'utf8' });

const care = async (afterMs: number, gitPath: string = GIT): Promise<CareResult> =>
  careForMirror({ base, gitPath, idleMs: IDLE_MS, nowMs: START_MS + afterMs }, never());

/** The first look at a mirror begins its day. */
const beginDay = async (): Promise<void> => expect(await care(0)).toEqual({ kind: 'not_due' });

/** A git that does something else first at one of its commands. */
const gitWith = (command: string, script: string): string => {
  const file = join(folder.path, `git-${command}`);
  writeFileSync(file, `#!/bin/sh\ncase " $* " in *" ${command} "*) ${script};; esac\nexec ${GIT} "$@"\n`, {
    mode: 0o755,
  });
  return file;
};

describe('caring for a mirror', () => {
  it('leaves few packs and no loose refs after many fetches, and loses nothing', async () => {
    const heads = await reviewMany(16);
    expect([packs(), looseRefs()]).toEqual([16, 16]);
    await beginDay();
    const result = await care(CARE_EVERY_MS);
    expect(result).toEqual({ kind: 'cared', packs: [16, packs()], refs: [20, 20] });
    expect(packs()).toBeLessThanOrEqual(3);
    expect(looseRefs()).toBe(0);
    for (const head of heads) expect(inMirror('cat-file', '-t', head)).toBe('commit\n');
    inMirror('fsck', '--full', '--strict');
    await review(1);
  });

  it('is due once a day, and a new mirror begins its day', async () => {
    await reviewMany(2);
    expect([await care(0), await care(CARE_EVERY_MS - 1)]).toEqual([{ kind: 'not_due' }, { kind: 'not_due' }]);
    expect(await care(CARE_EVERY_MS)).toMatchObject({ kind: 'cared' });
    expect(await care(2 * CARE_EVERY_MS - 1)).toEqual({ kind: 'not_due' });
    expect(await care(2 * CARE_EVERY_MS)).toMatchObject({ kind: 'cared' });
  });

  it('forgets the change requests that nobody has reviewed for long, and drops their objects', async () => {
    const gone = await review(7);
    repository.git('reset', '--quiet', '--hard', 'main');
    const left = await review(8);
    await beginDay();
    const old = new Date(START_MS + CARE_EVERY_MS - IDLE_MS);
    utimesSync(join(base, 'fixpoint-reviewed', '7'), old, old);
    for (const name of readdirSync(join(base, 'objects', 'pack')))
      utimesSync(join(base, 'objects', 'pack', name), old, old);
    expect(await care(CARE_EVERY_MS)).toMatchObject({ kind: 'cared', refs: [4, 2] });
    expect(inMirror('for-each-ref', '--format=%(refname)').trim().split('\n')).toEqual([
      `refs/fixpoint/8/heads/${left}`,
      'refs/fixpoint/8/target',
    ]);
    expect(() => inMirror('cat-file', '-e', gone)).toThrow('Command failed');
    expect(inMirror('cat-file', '-t', left)).toBe('commit\n');
  });

  it('counts change requests of an earlier version from now, and leaves refs of rules alone', async () => {
    const head = await review(7);
    inMirror('update-ref', 'refs/fixpoint/rules/abc', head);
    execFileSync('/bin/rm', ['-r', join(base, 'fixpoint-reviewed')]);
    await beginDay();
    expect(await care(CARE_EVERY_MS)).toMatchObject({ refs: [3, 3] });
    expect(await care(CARE_EVERY_MS + IDLE_MS)).toMatchObject({ refs: [3, 1] });
  });

  it('is done by one of two processes, and by none while a job has the lock', async () => {
    await reviewMany(3);
    await beginDay();
    const kinds = (await Promise.all([care(CARE_EVERY_MS), care(CARE_EVERY_MS)])).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['cared', 'not_due']);
    writeFileSync(`${base}.lock`, 'elsewhere 1 other');
    expect(await care(2 * CARE_EVERY_MS)).toEqual({ kind: 'not_due' });
  });

  it('creates nothing where no mirror is', async () => {
    await (await open()).release();
    execFileSync('/bin/rm', ['-r', base]);
    expect(await care(CARE_EVERY_MS)).toEqual({ kind: 'not_due' });
    expect(existsSync(base)).toBe(false);
  });
});

describe('a review beside it', () => {
  it('goes on reading while its packs are replaced', async () => {
    await reviewMany(8);
    await beginDay();
    await review(9, async () => expect(await care(CARE_EVERY_MS)).toMatchObject({ kind: 'cared' }));
    expect(packs()).toBeLessThanOrEqual(3);
  });

  it('does not wait for it: it ends, and is due again after an hour', async () => {
    await reviewMany(5);
    await beginDay();
    const caring = care(CARE_EVERY_MS, gitWith('repack', 'sleep 120'));
    await expect.poll(() => existsSync(`${base}.lock`), { interval: 5 }).toBe(true);
    await review(9);
    expect(await caring).toEqual({ kind: 'yielded' });
    expect(existsSync(`${base}.lock.wanted`)).toBe(false);
    expect(await care(CARE_EVERY_MS + 3_600_000 - 1)).toEqual({ kind: 'not_due' });
    expect(await care(CARE_EVERY_MS + 3_600_000)).toMatchObject({ kind: 'cared' });
  }, 30_000);
});

describe('a process that is killed while it cares for a mirror', () => {
  it.each(['update-ref', 'pack-refs', 'gc'])(
    'at %s leaves a mirror that a review can use, and that is packed later',
    async (command) => {
      await reviewMany(5);
      await beginDay();
      const script = fileURLToPath(new URL('./care-killed.ts', import.meta.url));
      const killing = gitWith(command, `${GIT} "$@" & sleep 0.02; kill -9 $PPID`);
      const child: ChildProcess = fork(script, [base, killing], { execArgv: ['--import', 'tsx'], stdio: 'ignore' });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      await review(9);
      inMirror('fsck', '--full', '--strict');
      const later = 400 * CARE_EVERY_MS;
      expect(await care(later)).toMatchObject({ kind: 'cared' });
      await review(9);
    },
    60_000,
  );
});

describe('a carer', () => {
  it('is asked after each use of a mirror, and cares in the background for one at a time', async () => {
    await reviewMany(5);
    let nowMs = START_MS;
    const told: string[] = [];
    const closing = new AbortController();
    const carer = createMirrorCarer(
      { idleMs: IDLE_MS },
      {
        nowMs: () => nowMs,
        signal: closing.signal,
        onCared: (_base, { kind }) => void told.push(kind),
        onTrouble: (error) => void told.push(String(error)),
      },
    );
    const keeper = { settle: async () => {}, makeRoom: async () => false, care: carer.begin };
    const access = { dataFolder, gitPath: GIT, credential: null, allowProtocols: ['file' as const], caFile: null };
    const useOnce = async (): Promise<void> => {
      const mirror = await openMirrorOf(
        { ...access, proxy: null, keeper, renameLikeness: 50 },
        { changeRequest: { forge: 'home', projectId: 1, number: 1 }, head: 'a'.repeat(40) as CommitSha },
        never(),
      );
      await mirror.release();
      await carer.idle();
    };
    await useOnce();
    nowMs += CARE_EVERY_MS;
    await useOnce();
    await useOnce();
    expect(told).toEqual(['cared']);
    closing.abort();
    nowMs += CARE_EVERY_MS;
    await useOnce();
    expect(told).toEqual(['cared']);
  });

  it('reports what git could not do, and tries again after an hour', async () => {
    await reviewMany(2);
    await beginDay();
    const broken = gitWith('pack-refs', 'exit 3');
    await expect(care(CARE_EVERY_MS, broken)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(await care(CARE_EVERY_MS + 1, broken)).toEqual({ kind: 'not_due' });
    expect(await care(CARE_EVERY_MS + 3_600_000)).toMatchObject({ kind: 'cared' });
  });
});
