import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTree } from '../../../../shared/workspace/tree/tree.ts';
import { linkTo, makePipe, makeSparse, writeFiles } from '../folder.ts';
import { never, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, 'root');
  mkdirSync(root);
});
afterEach(() => folder.dispose());

const read = (path: string) => openTree(root).read(path, 1_000_000, never());

describe('a file of a tree', () => {
  it('is read whole, however its path is written', async () => {
    writeFiles(root, { 'dir/a.txt': 'one\ntwo\r\n\tthree', empty: '' });
    const expected = { kind: 'file', data: Buffer.from('one\ntwo\r\n\tthree') };
    expect(await read('dir/a.txt')).toEqual(expected);
    expect(await read('./dir/a.txt/')).toEqual(expected);
    expect(await read('./dir//a.txt')).toMatchObject({ kind: 'refused' });
    expect(await read('empty')).toEqual({ kind: 'file', data: Buffer.alloc(0) });
  });
});

describe('T7 path escape', () => {
  const outside = ['../canary', '/etc/passwd', 'a/../../canary', '..', 'dir/../../canary'];

  it.each(outside)('says of %j that it is outside', async (path) => {
    writeFiles(folder.path, { canary: 'canary' });
    expect(await read(path)).toEqual({ kind: 'refused', reason: 'outside the workspace' });
  });

  it('refuses odd names before the file system is asked', async () => {
    writeFiles(root, { '.git/config': 'canary', 'a/.GIT/config': 'canary' });
    for (const path of ['a\0b', '.git/config', '.GIT/config', 'a/.GIT/config', 'x'.repeat(5000), 'a\u001b[2J']) {
      expect(await read(path)).toMatchObject({ kind: 'refused' });
    }
  });

  it('follows no link out of the root, over any number of links', async () => {
    writeFiles(folder.path, { canary: 'canary', 'other/canary': 'canary' });
    linkTo(root, 'file', join(folder.path, 'canary'));
    linkTo(root, 'dir', join(folder.path, 'other'));
    linkTo(root, 'chain', 'file');
    linkTo(root, 'environ', '/proc/self/environ');
    linkTo(root, 'slash', '/');
    linkTo(root, 'loop', 'loop');
    for (const path of ['file', 'dir/canary', 'chain', 'environ', 'slash/etc/passwd', 'slash/proc/1/environ']) {
      expect(await read(path)).toEqual({ kind: 'refused', reason: 'outside the workspace' });
    }
    expect(await read('loop')).toEqual({ kind: 'refused', reason: 'not found' });
  });

  it('does not take a folder whose name begins like the root for the root', async () => {
    writeFiles(folder.path, { 'root-evil/canary': 'canary' });
    linkTo(root, 'link', join(folder.path, 'root-evil'));
    expect(await read('link/canary')).toEqual({ kind: 'refused', reason: 'outside the workspace' });
  });

  it('never gives outside content while a folder is swapped for a link', async () => {
    writeFiles(folder.path, { 'other/file': 'canary' });
    writeFiles(root, { 'dir/file': 'inside' });
    let swapping = true;
    let pause = 0;
    const stop = new AbortController();
    const swap = (async () => {
      while (!stop.signal.aborted) {
        if (swapping) {
          renameSync(join(root, 'dir'), join(root, 'aside'));
          symlinkSync(join(folder.path, 'other'), join(root, 'dir'));
        } else {
          rmSync(join(root, 'dir'));
          renameSync(join(root, 'aside'), join(root, 'dir'));
        }
        swapping = !swapping;
        // Pauses of changing length, so that every moment of a read is met, and also a whole read in between.
        pause = (pause + 7) % 31;
        for (let turn = 0; turn <= pause; turn += 1) await breathe();
      }
    })();
    const kinds = new Set<string>();
    for (let tries = 0; tries < 200 || (kinds.size < 2 && tries < 5000); tries += 1) {
      const result = await read('dir/file');
      kinds.add(result.kind);
      if (result.kind === 'file') expect(result.data.toString()).toBe('inside');
    }
    stop.abort();
    await swap;
    expect(kinds.size).toBe(2);
  });
});

describe('T9 odd files', () => {
  it('refuses pipes, sockets, devices and folders at once', async () => {
    makePipe(join(root, 'pipe'));
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(join(root, 'socket'), resolve);
    });
    linkTo(root, 'zero', '/dev/zero');
    mkdirSync(join(root, 'dir'));
    expect(await read('pipe')).toEqual({ kind: 'refused', reason: 'not a regular file' });
    expect(await read('socket')).toEqual({ kind: 'refused', reason: 'not found' });
    expect(await read('zero')).toEqual({ kind: 'refused', reason: 'outside the workspace' });
    expect(await read('dir')).toEqual({ kind: 'refused', reason: 'a folder' });
    server.close();
  });

  it('refuses a sparse file of 2 GB at once', async () => {
    makeSparse(join(root, 'sparse'), 2 ** 31);
    expect(await read('sparse')).toEqual({
      kind: 'refused',
      reason: 'a file of 2147483648 bytes; the limit is 1000000',
    });
  });
});
