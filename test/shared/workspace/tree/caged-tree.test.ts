/** Files that a cage opens for a model: the same ones that this process would, and nothing else. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProtect } from '../../../../shared/agent/present-result.ts';
import { createGlobTool } from '../../../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../../../shared/agent/tools/read.ts';
import { createWorkspaceFiles } from '../../../../shared/agent/tools/workspace-files.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import type { Cage, CagedProcess } from '../../../../shared/workspace/cage/cage.ts';
import { openCagedTree } from '../../../../shared/workspace/tree/caged-tree.ts';
import { killGroup } from '../../../../shared/workspace/process/command.ts';
import { createFileClient } from '../../../../shared/workspace/tree/file-client.ts';
import { glob } from '../../../../shared/workspace/tree/glob.ts';
import { grep } from '../../../../shared/workspace/tree/grep.ts';
import { openTree, type Tree } from '../../../../shared/workspace/tree/tree.ts';
import { findTestCage, processesWith } from '../../../support/cage.ts';
import { propertyRuns } from '../../../support/deep.ts';
import { findLeaks } from '../../../support/leaks.ts';
import { linkTo, makePipe, makeSparse, writeFiles } from '../folder.ts';

const { cage, folder, workspace, dispose, why } = await findTestCage();
afterAll(dispose);

const never = (): AbortSignal => new AbortController().signal;
const MAX_BYTES = 5 * 1024 * 1024;
const CANARY = `canary-${'q8ZrT5'.repeat(5)}`;

const isHere = cage !== null;
const direct = openTree(workspace);

/** Counts what is started, and lets a test hold it. */
const watched = (inner: Cage) => {
  const started: CagedProcess[] = [];
  const outer: Cage = {
    ...inner,
    start: (...args) => {
      const process = inner.start(...args);
      started.push(process);
      return process;
    },
  };
  return { started, cage: outer };
};

describe.skipIf(!isHere)(`a tree in the cage${why}`, () => {
  let tree: Tree;
  beforeAll(() => {
    tree = openCagedTree(cage as Cage, workspace);
    process.env['FIXPOINT_TEST_CANARY'] = CANARY;
    writeFiles(workspace, {
      'a.ts': 'one\ntwo needle\n',
      'src/deep/b.ts': 'needle\n',
      'src/empty': '',
      'binary.bin': Buffer.from([0, 1, 2, 255, 0]),
      'large.txt': 'l'.repeat(MAX_BYTES + 1),
      'many.txt': 'needle here\n'.repeat(2_000),
      'ünïcode/名.txt': 'needle\n',
      '.git/config': 'of git',
      '-rf': 'needle\n',
    });
    writeFiles(folder, { 'neighbour/secret.txt': `needle ${CANARY}\n` });
    linkTo(workspace, 'inner', 'src/deep/b.ts');
    linkTo(workspace, 'passwd', '/etc/passwd');
    linkTo(workspace, 'environment', '/proc/self/environ');
    linkTo(workspace, 'root', '/');
    linkTo(workspace, 'next', join(folder, 'neighbour'));
    linkTo(workspace, 'loop', 'loop');
    makePipe(join(workspace, 'pipe'));
    makeSparse(join(workspace, 'sparse'), 2 * 1024 * 1024 * 1024);
  });
  afterAll(async () => {
    await tree.close();
    delete process.env['FIXPOINT_TEST_CANARY'];
  });

  const PATHS = ['a.ts', './a.ts', 'src/deep/b.ts', 'src/empty', 'binary.bin', 'large.txt', 'sparse', 'ünïcode/名.txt'];
  const ODD = [
    '',
    '.',
    'src',
    'nope',
    'a.ts/x',
    'pipe',
    'loop',
    'inner',
    '-rf',
    '../a.ts',
    '/etc/passwd',
    '.git/config',
  ];
  const ODDER = ['.GIT/config', 'src/../a.ts', 'a\0b', 'a\nb', 'x'.repeat(300), 'x/'.repeat(2_600), '\u202ea'];

  it.each([...PATHS, ...ODD, ...ODDER])('answers for %j as this process would', async (path) => {
    expect(await tree.read(path, MAX_BYTES, never())).toEqual(await direct.read(path, MAX_BYTES, never()));
    expect(await tree.locate(path, never())).toEqual(await direct.locate(path, never()));
  });

  it('T7: answers for any path as this process would, or finds nothing', async () => {
    const name = fc.constantFrom(
      'a.ts',
      'src',
      'deep',
      '..',
      '.',
      '',
      'passwd',
      'root',
      'etc',
      'next',
      'loop',
      'tmp',
      'é',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 6 }), async (names) => {
        const path = names.join('/');
        const [caged, own] = [await tree.read(path, MAX_BYTES, never()), await direct.read(path, MAX_BYTES, never())];
        // Behind a link that leads out there are other files in a cage, or none.
        const alike = own.kind === 'refused' && own.reason === 'outside the workspace' ? { kind: 'refused' } : own;
        expect(caged).toMatchObject(alike);
      }),
      propertyRuns(25, 5_000),
    );
  });

  it.each(['passwd', 'environment', 'root/etc/passwd', 'next/secret.txt', 'root/usr/bin/perl'])(
    'T7: opens nothing through the link %s',
    async (path) => {
      expect(await tree.read(path, MAX_BYTES, never())).toEqual({
        kind: 'refused',
        reason: path.includes('usr') ? 'outside the workspace' : 'not found',
      });
    },
  );

  it.each([
    { pattern: 'needle' },
    { pattern: 'needle', path: 'src' },
    { pattern: 'needle', path: '-rf' },
    { pattern: 'NEEDLE', ignoreCase: true, maxMatches: 3 },
    { pattern: '(', fixed: false },
    { pattern: '(a+)+$' },
    { pattern: 'needle', path: 'pipe' },
    { pattern: 'needle', path: 'nope' },
    { pattern: 'needle', path: '../x' },
  ])('searches for %j as this process would', async (request) => {
    expect(await grep(tree, request, never())).toEqual(await grep(direct, request, never()));
  });

  it.each([{ pattern: '*.ts' }, { pattern: '**', path: 'src' }, { pattern: '[' }, { pattern: '*', path: 'a.ts' }])(
    'lists %j as this process would',
    async (request) => {
      expect(await glob(tree, request, never())).toEqual(await glob(direct, request, never()));
    },
  );

  it('T1: shows the secrets of the service to no tool, whatever is asked for', async () => {
    const files = createWorkspaceFiles(tree, createProtect(createRedactor([])));
    const tools = [createReadTool(files), createGlobTool(tree), createGrepTool(files)];
    const places = ['environment', 'root', 'root/proc', 'root/proc/1/environ', 'next', '/proc/self/environ', '/', '..'];
    const asked = places.flatMap((path) => [{ path }, { path, pattern: 'canary' }, { path, pattern: '**' }]);
    const results = await Promise.all(
      tools.flatMap((tool) => asked.map(async (input) => tool.execute(input, never()))),
    );
    const told = JSON.stringify(results);
    expect(findLeaks([{ where: 'results', text: told }], [CANARY])).toEqual([]);
    expect(process.env['FIXPOINT_TEST_CANARY']).toBe(CANARY);
  });

  it('T1: has no secret of the service within reach of a program', async () => {
    const script =
      'env; for f in /proc/1/environ /proc/self/environ /workspace/environment /workspace/root/proc/*/environ; do cat $f; done; set';
    const limits = { workspace, timeoutMs: 20_000, outputBytes: 1_000_000, signal: never() };
    const result = await (cage as Cage).run(['/usr/bin/sh', '-c', script], limits);
    expect(result.stdout.toString('utf8')).toContain('PATH=/usr/bin:/bin');
    expect(findLeaks([{ where: 'output', text: result.stdout.toString('utf8') + result.stderr }], [CANARY])).toEqual(
      [],
    );
  });

  it('answers many questions at once, each with its own file', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `many/${index}.txt`);
    writeFiles(workspace, Object.fromEntries(names.map((name) => [name, `${name}\n`.repeat(5_000)])));
    const read = await Promise.all(names.map(async (name) => tree.read(name, MAX_BYTES, never())));
    expect(read.map((file) => file.kind === 'file' && file.data.toString('utf8').split('\n')[0])).toEqual(names);
  });

  it('starts its file server when it is needed, once, and again when it has died', async () => {
    const watching = watched(cage as Cage);
    const own = openCagedTree(watching.cage, workspace);
    expect(watching.started).toHaveLength(0);
    const expected = { kind: 'file', data: Buffer.from('needle\n') };
    expect(await own.read('src/deep/b.ts', MAX_BYTES, never())).toEqual(expected);
    expect(await own.read('src/deep/b.ts', MAX_BYTES, never())).toEqual(expected);
    expect(watching.started).toHaveLength(1);
    await watching.started[0]?.kill();
    expect(await own.read('src/deep/b.ts', MAX_BYTES, never())).toEqual(expected);
    expect(watching.started).toHaveLength(2);
    await own.close();
    await expect(own.read('a.ts', MAX_BYTES, never())).rejects.toMatchObject({ code: 'FILE_SERVER_BROKEN' });
    expect(processesWith(workspace)).toEqual([]);
  });

  it('ends a server of which more is to be read', async () => {
    const { child, kill } = (cage as Cage).start(['/usr/bin/perl', '-e', 'print "x" x 100_000 while 1'], { workspace });
    // Reading like this keeps Node from draining what is left.
    await child.stdout[Symbol.asyncIterator]().next();
    await kill();
    expect(child.signalCode).toBe('SIGKILL');
  });

  it('goes on for others when one who asks gives up', async () => {
    const own = openCagedTree(cage as Cage, workspace);
    const abort = new AbortController();
    const given = own.read('a.ts', MAX_BYTES, abort.signal);
    abort.abort(new Error('superseded'));
    await expect(given).rejects.toThrow('superseded');
    expect(await own.read('src/empty', MAX_BYTES, never())).toEqual({ kind: 'file', data: Buffer.alloc(0) });
    await own.close();
  });
});

/** In the place of a file server, without a cage: a program of ours that says what it likes. */
const serverThatSays = (script: string): Cage => ({
  programs: { node: process.execPath, ripgrep: '' },
  run: async () => {
    throw new Error('nothing is run');
  },
  start: () => {
    const child = spawn(process.execPath, ['-e', script], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    child.stdin.on('error', () => {});
    const gone = new Promise<void>((resolve) => void child.once('close', () => resolve()));
    return {
      child,
      gone,
      kill: async () => {
        killGroup(child);
        child.stdout.destroy();
        await gone;
      },
    };
  },
});

const ask = async (script: string, callMs = 20_000) => {
  const client = createFileClient(serverThatSays(script), '/nowhere', callMs);
  try {
    return await client.ask({ read: 'a', maxBytes: 10 }, never());
  } finally {
    await client.close();
  }
};

describe('a file server that is not believed', () => {
  const say = (head: object, body = ''): string =>
    `process.stdin.once('data', () => process.stdout.write(${JSON.stringify(`${JSON.stringify(head)}\n${body}`)}))`;

  it.each([
    ['answers nonsense', 'process.stdout.write("what?\\n")'],
    ['answers without end', 'setInterval(() => process.stdout.write("x".repeat(10_000)), 1)'],
    ['answers something else', say({ kind: 'secret', length: 1 }, 'x')],
    ['answers more than was asked for', say({ kind: 'file', length: 11 }, 'x'.repeat(11))],
    ['ends', 'process.exit(0)'],
    [
      'ends in the middle of its answer',
      `${say({ kind: 'file', length: 5 }, 'xx')}; setTimeout(() => process.exit(0), 500)`,
    ],
  ])('because it %s', async (_, script) => {
    await expect(ask(script)).rejects.toMatchObject({ code: 'FILE_SERVER_BROKEN' });
  });

  it('because it does not answer in time: that is a refusal, and it is dead', async () => {
    expect(await ask('setInterval(() => {}, 1000)', 700)).toEqual({
      kind: 'refused',
      reason: 'opening the file took too long and was stopped',
    });
  });

  it('and one that answers is', async () => {
    expect(await ask(say({ kind: 'file', length: 2 }, 'ok'))).toEqual({ kind: 'file', data: Buffer.from('ok') });
  });
});
