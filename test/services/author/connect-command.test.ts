/** The operator's program in the cage: it mends the checkout, and gets at nothing else. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { FixOutcome, FixTask } from '../../../services/author/change/agent.ts';
import { connectCommand } from '../../../services/author/connect-command.ts';
import { Author } from '../../../shared/config/author-settings.ts';
import { MessageSettings } from '../../../shared/config/message-settings.ts';
import { Sandbox } from '../../../shared/config/sandbox-settings.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { CAGE_UID, findTestCage, openFolder } from '../../support/cage.ts';
import { runId, sha } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const { cage, folder, dispose, why } = await findTestCage();
afterAll(dispose);
const { path: outside, dispose: disposeOutside } = openFolder();
afterAll(disposeOutside);

/** A checkout as it is laid down: of the service's account, and read-only. */
const layTree = (): string => {
  const root = mkdtempSync(join(folder, 'tree-'));
  mkdirSync(join(root, 'src'));
  for (const path of [root, join(root, 'src')]) chmodSync(path, 0o755);
  for (const file of ['a.js', 'src/b.js', 'src/c.js']) writeFileSync(join(root, file), `${file}\n`, { mode: 0o444 });
  return root;
};

type Wish = { readonly argv: readonly string[]; readonly caged?: boolean; readonly maxRuntimeMs?: number };

const workIn = async (given: typeof cage, { argv, caged = true, maxRuntimeMs = 20_000 }: Wish): Promise<FixOutcome> => {
  const author = Author.parse({ enabled: true, command: argv, caged });
  const settings = { author, messages: MessageSettings.parse({}), sandbox: Sandbox.parse({ uid: CAGE_UID }) };
  const agent = connectCommand(settings, { scratchFolder: folder, path: '/usr/bin:/bin', cage: given });
  const task: FixTask = {
    changeRequest: { forge: 'main', projectId: 1, number: 5 },
    runId: runId('fix'),
    head: sha('head'),
    review: 1,
    findings: [],
    root: layTree(),
    paths: ['a.js'],
    limits: { maxTurns: 1, maxRuntimeMs },
  };
  return agent.work(task, never());
};

const shell = (script: string) => ['/bin/sh', '-c', script];
const node = (script: string) => [cage?.programs.node ?? '', '-e', script];
const failed = (code: string): FixOutcome => ({ kind: 'failed', code, spent: NOTHING_SPENT });
const written = (outcome: FixOutcome, path: string): string => {
  const changes = outcome.kind === 'done' ? outcome.work.changes : [];
  const found = changes.find((change) => change.path === path);
  return found?.kind === 'write' ? Buffer.from(found.content).toString() : '';
};

describe('without a cage', () => {
  it('a program that belongs into one is not run', async () => {
    const mark = join(outside, randomUUID());
    await expect(workIn(null, { argv: shell(`: > ${mark}`) })).rejects.toMatchObject({ code: 'CAGE_NOT_STARTED' });
    expect(() => readFileSync(mark)).toThrow('ENOENT');
  });

  it('a program works where the operator does not ask for one', async () => {
    const outcome = await workIn(null, { argv: shell('pwd > new.js'), caged: false });
    expect(written(outcome, 'new.js')).toContain(folder);
  });
});

describe.skipIf(cage === null)(`a program in the cage${why}`, () => {
  it('changes its checkout, and that is read back', async () => {
    const script = 'echo better > a.js; rm src/b.js; mkdir lib; echo new > lib/d.js; cat > src/told.json; echo fine';
    const outcome = await workIn(cage, { argv: shell(script) });
    expect(outcome).toMatchObject({
      kind: 'done',
      work: {
        changes: [
          { kind: 'write', path: 'a.js', content: Buffer.from('better\n') },
          { kind: 'write', path: 'lib/d.js', content: Buffer.from('new\n') },
          { kind: 'delete', path: 'src/b.js' },
          { kind: 'write', path: 'src/told.json' },
        ],
      },
    });
    expect(JSON.parse(written(outcome, 'src/told.json'))).toMatchObject({ version: 1, review: 1, paths: ['a.js'] });
  });

  it('reaches no network, and reads and writes nothing outside', async () => {
    const secret = join(outside, 'secret');
    writeFileSync(secret, 'not for the cage', { mode: 0o644 });
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const outcome = await workIn(cage, {
      argv: node(`
        const fs = require('node:fs');
        const told = { env: Object.keys(process.env).sort() };
        const attempt = (name, act) => { try { act(); told[name] = 'done'; } catch (error) { told[name] = error.code; } };
        attempt('reads', () => fs.readFileSync(${JSON.stringify(secret)}));
        attempt('writes', () => fs.writeFileSync(${JSON.stringify(join(outside, 'left'))}, 'x'));
        attempt('writesAbove', () => fs.writeFileSync('../left', 'x'));
        const socket = require('node:net').connect(${port}, '127.0.0.1');
        const end = (network) => { fs.writeFileSync('told.json', JSON.stringify({ ...told, network })); process.exit(0); };
        socket.on('connect', () => end('done'));
        socket.on('error', ({ code }) => end(code));
      `),
    });
    server.close();
    expect(JSON.parse(written(outcome, 'told.json'))).toEqual({
      env: ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR'],
      reads: 'ENOENT',
      writes: 'ENOENT',
      writesAbove: 'EROFS',
      network: 'EPERM',
    });
  });

  it.each<[string, Wish, string]>([
    ['fails', { argv: shell('exit 3') }, 'AUTHOR_COMMAND_FAILED'],
    ['is not there', { argv: ['/opt/no-such-program'] }, 'AUTHOR_COMMAND_FAILED'],
    ['says too much', { argv: shell('yes') }, 'AUTHOR_COMMAND_FAILED'],
    ['takes too long', { argv: shell('sleep 60'), maxRuntimeMs: 300 }, 'AUTHOR_TIMED_OUT'],
    ['prints half a JSON', { argv: shell(`echo '{"addressed": ['`) }, 'AUTHOR_BAD_ANSWER'],
  ])('that %s has failed', async (_what, wish, code) => {
    expect(await workIn(cage, wish)).toEqual(failed(code));
  });
});
