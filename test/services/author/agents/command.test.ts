import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FixOutcome, FixTask } from '../../../../services/author/change/agent.ts';
import { createCommandAgent } from '../../../../services/author/agents/command.ts';
import { createJsonProtocol } from '../../../../services/author/agents/json-protocol.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { asOtherUser, OTHER_USER } from '../../../support/as-other-user.ts';
import { makeAuthorCommand } from '../../../support/author-command.ts';
import { print, runId, sha } from '../../../shared/rounds/builders.ts';
import { never, temporaryFolder } from '../../../shared/workspace/repository.ts';

let folder = temporaryFolder();
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, 'tree');
  mkdirSync(join(root, 'src'), { recursive: true });
  mkdirSync(join(folder.path, 'scratch'));
  for (const [name, text] of [
    ['a.js', 'a();\n'],
    ['src/b.js', 'b();\n'],
    ['src/c.js', 'c();\n'],
  ] as const) {
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), 0o444);
  }
});
afterEach(() => folder.dispose());

const task = (maxRuntimeMs: number): FixTask => ({
  changeRequest: { forge: 'main', projectId: 1, number: 5 },
  runId: runId('fix'),
  head: sha('head'),
  review: 2,
  findings: [
    {
      id: 'F-001',
      fingerprint: print('one'),
      severity: 'P1',
      title: 'A title',
      text: 'A text',
      rule: 'a-rule',
      place: { path: 'a.js', side: 'new', startLine: 1, line: 1 },
    },
  ],
  root,
  paths: ['a.js', 'src/b.js'],
  limits: { maxTurns: 1, maxRuntimeMs },
});

const work = async (script: string, maxRuntimeMs = 20_000): Promise<FixOutcome> => {
  const command = await makeAuthorCommand(script);
  try {
    const scratchFolder = join(folder.path, 'scratch');
    const speech = createJsonProtocol();
    const agent = createCommandAgent({ command: command.argv, path: '/usr/bin:/bin', scratchFolder, speech });
    return await agent.work(task(maxRuntimeMs), never());
  } finally {
    await command.dispose();
  }
};

const doneWith = async (script: string) => {
  const outcome = await work(script);
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  return outcome.work;
};

describe('what a command changes', () => {
  it('is read back from where it worked, sorted by path', async () => {
    const { changes } = await doneWith(`
      fs.writeFileSync('src/b.js', 'better();\\n');
      fs.rmSync('a.js');
      fs.writeFileSync('new.js', 'n();\\n');
      fs.writeFileSync('src/c.js', 'c();\\n');
    `);
    expect(changes).toEqual([
      { kind: 'delete', path: 'a.js' },
      { kind: 'write', path: 'new.js', content: Buffer.from('n();\n') },
      { kind: 'write', path: 'src/b.js', content: Buffer.from('better();\n') },
    ]);
  });

  it('is told as odd where it is no plain file, without following or opening it', async () => {
    const { changes } = await doneWith(`
      const { execFileSync } = await import('node:child_process');
      fs.rmSync('a.js');
      fs.symlinkSync('/etc/passwd', 'a.js');
      execFileSync('/usr/bin/mkfifo', ['pipe']);
      fs.symlinkSync('/etc', 'src/folder');
    `);
    expect(changes).toEqual([
      { kind: 'odd', path: 'a.js', what: 'a link' },
      { kind: 'odd', path: 'pipe', what: 'a pipe' },
      { kind: 'odd', path: 'src/folder', what: 'a link' },
    ]);
  });
});

describe('what a command leaves behind', () => {
  it('is told as odd if it is a file whose name is not UTF-8', async () => {
    const { changes } = await doneWith("fs.writeFileSync(Buffer.from('caf\\xe9.js', 'latin1'), 'x');");
    expect(changes).toMatchObject([{ kind: 'odd', what: 'a file that cannot be read' }]);
  });

  it('is told as odd if nobody may read it, and removed all the same', async () => {
    for (const each of ['', 'src', 'a.js', 'src/b.js', 'src/c.js']) chownSync(join(root, each), OTHER_USER, -1);
    chmodSync(folder.path, 0o755);
    chmodSync(join(folder.path, 'scratch'), 0o777);
    const { changes } = await asOtherUser(async () =>
      doneWith(`
        fs.chmodSync('a.js', 0);
        fs.chmodSync('src', 0);
        const cache = process.env.HOME + '/mod';
        fs.mkdirSync(cache);
        fs.writeFileSync(cache + '/file', 'x');
        fs.chmodSync(cache, 0o555);
      `),
    );
    expect(changes).toEqual([
      { kind: 'odd', path: 'a.js', what: 'a file that cannot be read' },
      { kind: 'odd', path: 'src', what: 'a folder that cannot be read' },
      { kind: 'delete', path: 'src/b.js' },
      { kind: 'delete', path: 'src/c.js' },
    ]);
    expect(readdirSync(join(folder.path, 'scratch'))).toEqual([]);
  });

  it('is told as odd if it is a folder whose name is not UTF-8', async () => {
    const { changes } = await doneWith("fs.mkdirSync(Buffer.from('caf\\xe9', 'latin1'));");
    expect(changes).toMatchObject([{ kind: 'odd', what: 'a folder that cannot be read' }]);
  });

  it('is nothing at all if it removes its own working directory', async () => {
    const { changes } = await doneWith('fs.rmSync(process.cwd(), { recursive: true });');
    expect(changes).toMatchObject([
      { kind: 'odd', path: '', what: 'a folder that cannot be read' },
      { kind: 'delete', path: 'a.js' },
      { kind: 'delete', path: 'src/b.js' },
      { kind: 'delete', path: 'src/c.js' },
    ]);
  });
});

describe('a command', () => {
  it('gets the findings as JSON and nothing of our environment', async () => {
    process.env['FIXPOINT_TEST_CANARY'] = 'canary';
    try {
      const { changes } = await doneWith(`
        fs.writeFileSync('a.js', JSON.stringify({ input, env: Object.keys(process.env).sort(), cwd: process.cwd() }));
      `);
      const [change] = changes;
      const told = JSON.parse(change?.kind === 'write' ? Buffer.from(change.content).toString() : '{}');
      expect(told.env).toEqual(['HOME', 'LANG', 'PATH', 'TMPDIR']);
      expect(told.cwd).toBe(root);
      expect(told.input).toEqual({
        version: 1,
        change_request: { forge: 'main', project_id: 1, number: 5 },
        review: 2,
        paths: ['a.js', 'src/b.js'],
        new_files: false,
        findings: [
          {
            id: 'F-001',
            severity: 'P1',
            title: 'A title',
            text: 'A text',
            rule: 'a-rule',
            path: 'a.js',
            side: 'new',
            start_line: 1,
            line: 1,
          },
        ],
      });
    } finally {
      delete process.env['FIXPOINT_TEST_CANARY'];
    }
  });

  it('has a home of its own that is gone afterwards', async () => {
    await doneWith("fs.writeFileSync(path.join(process.env.HOME, 'cache'), 'x');");
    expect(readdirSync(join(folder.path, 'scratch'))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['fails', 'process.exit(3);', 'AUTHOR_COMMAND_FAILED'],
    ['kills itself', "process.kill(process.pid, 'SIGKILL');", 'AUTHOR_COMMAND_FAILED'],
    ['prints another JSON', 'console.log(\'{"addressed": 5}\');', 'AUTHOR_BAD_ANSWER'],
    ['prints half a JSON', 'console.log(\'{"addressed": [\');', 'AUTHOR_BAD_ANSWER'],
    [
      'declines without a reason',
      'console.log(\'{"declined": [{"id": "F-001", "reason": " "}]}\');',
      'AUTHOR_BAD_ANSWER',
    ],
  ])('that %s has failed', async (_name, script, code) => {
    expect(await work(`fs.writeFileSync('a.js', 'x');${script}`)).toEqual({
      kind: 'failed',
      code,
      spent: NOTHING_SPENT,
    });
  });

  it('that takes too long is killed with everything that it has started', async () => {
    const alive = join(folder.path, 'alive');
    const outcome = await work(
      `
      const { spawn } = await import('node:child_process');
      const beat = "setInterval(() => require('fs').appendFileSync(" + JSON.stringify(${JSON.stringify(alive)}) + ", '.'), 20)";
      spawn(process.execPath, ['-e', beat], { stdio: 'ignore' });
      setInterval(() => {}, 1000);
      `,
      2_500,
    );
    expect(outcome).toEqual({ kind: 'failed', code: 'AUTHOR_TIMED_OUT', spent: NOTHING_SPENT });
    const before = readFileSync(alive, 'utf8').length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(before).toBeGreaterThan(0);
    expect(readFileSync(alive, 'utf8')).toHaveLength(before);
  });
});

describe('what a command says', () => {
  it('is taken for the findings that it was given', async () => {
    const answer = { summary: 's', addressed: ['F-001', 'F-009'], declined: [{ id: 'F-009', reason: 'r' }] };
    expect(await doneWith(`console.log(JSON.stringify(${JSON.stringify(answer)}));`)).toMatchObject({
      summary: 's',
      addressed: ['F-001'],
      declines: [],
    });
  });

  it('is cut where it is too long, and the last reason for a finding counts: what was changed is not thrown away', async () => {
    const long = 'w'.repeat(5_000);
    const declined = [
      { id: 'F-001', reason: 'the first' },
      { id: 'not an id', reason: 'r' },
      { id: 'F-001', reason: long },
    ];
    const answer = { summary: long, addressed: ['F-001', 'not an id', 'F-001'], declined };
    expect(await doneWith(`console.log(JSON.stringify(${JSON.stringify(answer)}));`)).toMatchObject({
      summary: long.slice(0, 4_000),
      addressed: ['F-001'],
      declines: [{ findingId: 'F-001', reason: long.slice(0, 2_000) }],
    });
  });

  it('may be anything that does not begin as JSON does', async () => {
    expect(await doneWith("console.log('all fine');")).toEqual({
      changes: [],
      spent: NOTHING_SPENT,
      addressed: null,
      declines: [],
      summary: '',
    });
  });
});
