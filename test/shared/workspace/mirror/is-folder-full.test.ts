import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DiskSpace, isFolderFull, isNearlyFull } from '../../../../shared/workspace/mirror/is-folder-full.ts';
import { roomFor } from '../../../../shared/workspace/mirror/open-head.ts';
import { mountSmallDisk } from '../../../support/full-disk.ts';
import { never } from '../repository.ts';

const GB = 1e9;
const FREE: DiskSpace = { totalBytes: 1000 * GB, freeBytes: 500 * GB };
const FULL: DiskSpace = { totalBytes: 1000 * GB, freeBytes: 0 };

const failed = (fields: Readonly<Record<string, string>>): Error => Object.assign(new Error('failed'), fields);

describe('a disk', () => {
  it.each<readonly [string, DiskSpace, boolean]>([
    ['with half its space', FREE, false],
    ['with 4 %', { totalBytes: 1000 * GB, freeBytes: 40 * GB }, true],
    ['with 6 %', { totalBytes: 1000 * GB, freeBytes: 60 * GB }, false],
    ['with less than 1 GB of 10', { totalBytes: 10 * GB, freeBytes: 0.9 * GB }, true],
    ['with nothing', FULL, true],
  ])('%s', (_, space, isFull) => {
    expect(isNearlyFull(space)).toBe(isFull);
  });
});

describe('the disk of a folder is full', () => {
  it.each<readonly [string, Error, DiskSpace, boolean]>([
    ['if a path below it could not be written', failed({ code: 'ENOSPC', path: '/data/mirrors/x' }), FREE, true],
    ['if it is the cause', new Error('x', { cause: failed({ code: 'ENOSPC', path: '/data/x' }) }), FREE, true],
    ['if git could not write', failed({ code: 'GIT_DISK_FULL' }), FREE, true],
    ['if a quota is used up', failed({ code: 'EDQUOT' }), FREE, true],
    ['if a write without a path fails and little is free', failed({ code: 'ENOSPC' }), FULL, true],
    ['if another path on the same full disk fails', failed({ code: 'ENOSPC', path: '/tmp/x' }), FULL, true],
    ['not if a write without a path fails and much is free', failed({ code: 'ENOSPC' }), FREE, false],
    ['not for a path elsewhere', failed({ code: 'ENOSPC', path: '/tmp/x' }), FREE, false],
    ['not for a folder with a longer name', failed({ code: 'ENOSPC', path: '/data2/x' }), FREE, false],
    ['not for a copy to elsewhere', failed({ code: 'ENOSPC', path: '/data/x', dest: '/tmp/x' }), FREE, false],
    ['not for another error', failed({ code: 'EACCES', path: '/data/x' }), FULL, false],
  ])('%s', async (_, error, space, isFull) => {
    expect(await isFolderFull('/data', error, async () => space)).toBe(isFull);
  });

  it('as a real file system says', async ({ skip }) => {
    const disk = (await mountSmallDisk()) ?? skip('this account may not mount a file system');
    try {
      await disk.fill();
      expect(await isFolderFull(disk.folder, failed({ code: 'ENOSPC' }))).toBe(true);
      const file = await open(join(disk.folder, 'filler'), 'a');
      const error: unknown = await file.write(Buffer.alloc(10_000)).catch((caught: unknown) => caught);
      await file.close();
      expect(await isFolderFull('/data', error, async () => FREE)).toBe(false);
    } finally {
      await disk.dispose();
    }
  });
});

describe('room for a project', () => {
  it('is made only for the disk of the data folder', async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'fixpoint-room-'));
    let calls = 0;
    const keeper = {
      settle: async () => {},
      makeRoom: async () => {
        calls += 1;
        return true;
      },
    };
    try {
      const makeRoom = roomFor({ dataFolder, keeper }, { forge: 'home', projectId: 1 });
      expect(await makeRoom?.(failed({ code: 'EACCES', path: join(dataFolder, 'x') }), never())).toBe(false);
      expect(calls).toBe(0);
      expect(await makeRoom?.(failed({ code: 'ENOSPC', path: join(dataFolder, 'x') }), never())).toBe(true);
      expect(calls).toBe(1);
    } finally {
      await rm(dataFolder, { recursive: true });
    }
  });
});
