import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLines, type ReadRequest } from '../../../../shared/workspace/tree/read.ts';
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

const read = (path: string, more: Partial<ReadRequest> = {}) => readLines(root, { path, ...more }, never());

describe('readLines', () => {
  it('numbers lines and says nothing when that is all', async () => {
    writeFiles(root, { 'dir/a.txt': 'one\ntwo\r\n\tthree' });
    const expected = { kind: 'text', text: '1\tone\n2\ttwo\n3\t\tthree', firstLine: 1, lastLine: 3, notice: null };
    expect(await read('dir/a.txt')).toEqual(expected);
    expect(await read('./dir//a.txt')).toMatchObject({ kind: 'refused' });
    expect(await read('./dir/a.txt/')).toEqual(expected);
  });

  it('gives the window that was asked for, and says that there is more', async () => {
    writeFiles(root, { a: 'l\n'.repeat(10) });
    expect(await read('a', { offset: 4, limit: 2 })).toEqual({
      kind: 'text',
      text: '4\tl\n5\tl',
      firstLine: 4,
      lastLine: 5,
      notice: 'shown up to line 5 of 10; continue with a larger offset',
    });
    expect(await read('a', { offset: 9 })).toMatchObject({ firstLine: 9, lastLine: 10, notice: null });
    expect(await read('a', { offset: 11 })).toMatchObject({ text: '', lastLine: 10, notice: 'the file has 10 lines' });
    expect(await read('a', { offset: -3, limit: 0 })).toMatchObject({ firstLine: 1, lastLine: 1 });
    expect(await read('a', { offset: Number.NaN })).toMatchObject({ firstLine: 1, lastLine: 10 });
  });

  it('cuts at 2,000 lines and 2,000 characters a line, and says so', async () => {
    writeFiles(root, { many: 'x\n'.repeat(2001), wide: `${'x'.repeat(2001)}\n` });
    expect(await read('many', { limit: 9999 })).toMatchObject({
      lastLine: 2000,
      notice: expect.stringContaining('of 2001'),
    });
    expect(await read('wide')).toMatchObject({ text: `1\t${'x'.repeat(2000)} [cut: 2001 characters]` });
  });

  it('reads an empty file', async () => {
    writeFiles(root, { empty: '' });
    expect(await read('empty')).toMatchObject({ kind: 'text', text: '', notice: null });
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
      expect(JSON.stringify(result)).not.toContain('canary');
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

  it('refuses binaries and a sparse file of 2 GB at once', async () => {
    writeFiles(root, { bin: Buffer.from([1, 0, 2]) });
    makeSparse(join(root, 'sparse'), 2 ** 31);
    expect(await read('bin')).toEqual({ kind: 'refused', reason: 'a binary file of 3 bytes' });
    expect(await read('sparse')).toMatchObject({ reason: 'a binary file of 2147483648 bytes' });
  });

  it('cuts one line of 50 MB and says so', async () => {
    writeFiles(root, { wide: Buffer.alloc(50_000_000, 'x') });
    const result = await read('wide');
    expect(result).toMatchObject({
      kind: 'text',
      lastLine: 1,
      notice: expect.stringContaining('of a file of 50000000 bytes'),
    });
    expect(JSON.stringify(result).length).toBeLessThan(3000);
  });

  it('makes control characters visible', async () => {
    writeFiles(root, { a: 'red \u001b[31m\u0007 \u009b end\n' });
    expect(await read('a')).toMatchObject({ text: '1\tred \\x1b[31m\\x07 \\x9b end' });
  });
});
