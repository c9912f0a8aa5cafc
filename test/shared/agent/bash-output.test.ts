/** What a model sees of an output, over programs that say what the test wants. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProtect, type Protect } from '../../../shared/agent/present-result.ts';
import { createBashTool } from '../../../shared/agent/tools/bash.ts';
import { MAX_SOURCES, parseBatch, parseMatches } from '../../../shared/agent/tools/bash-sources.ts';
import { createHiding, findSecretLines } from '../../../shared/agent/tools/secret-lines.ts';
import type { BashRun } from '../../../shared/workspace/bash/bash-runner.ts';
import type { CageResult } from '../../../shared/workspace/cage/cage.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { propertyRuns } from '../../support/deep.ts';
import { never } from './agent-run.ts';

const OK: CageResult = {
  code: 0,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: '',
  truncated: false,
  timedOut: false,
};

/** What is a secret here is spelt in capitals; `JOIN` takes its line break with it. */
const protect = async (text: string): Promise<string> =>
  text.replaceAll(/SECRET\d*/g, '[redacted]').replaceAll('JOIN\n', '');

const idOf = (index: number): string => index.toString(16).padStart(40, '0');

type Said = Partial<Omit<CageResult, 'stdout'>> & { readonly stdout?: string };

/** One program that says one thing, and a store of objects by name. */
const toolOver = (said: Said, objects: Readonly<Record<string, string>> = {}, protecting: Protect = protect) => {
  const asked: BashRun[] = [];
  const run = async (call: BashRun): Promise<CageResult> => {
    asked.push(call);
    if (!call.args.includes('--batch')) return { ...OK, ...said, stdout: Buffer.from(said.stdout ?? '') };
    const names = Buffer.from(call.stdin ?? [])
      .toString('utf8')
      .split('\n')
      .slice(0, -1);
    const answers = names.map((name) => {
      const text = Object.hasOwn(objects, name) ? objects[name] : undefined;
      return text === undefined ? `${name} missing\n` : `${idOf(1)} blob ${Buffer.byteLength(text)}\n${text}\n`;
    });
    return { ...OK, stdout: Buffer.from(answers.join('')) };
  };
  const tool = createBashTool(run, protecting);
  return { asked, tool, say: async (command: string) => tool.execute({ command }, never) };
};

describe('the Bash tool', () => {
  it('hides what the whole file knows as a secret, behind whatever a program put in front', async () => {
    const { say } = toolOver({ stdout: 'x 1) key\nx 2) SECRET1\nx 3) open\n' }, { 'HEAD:a': 'key\nSECRET1\nopen\n' });
    expect(await say('git blame a')).toEqual({ kind: 'text', text: 'x 1) key\nx 2) [redacted]\nx 3) open' });
  });

  it('hides the lines of a file whose lines were joined, as far as they are not shown elsewhere', async () => {
    const { say } = toolOver({ stdout: 'one\nJOIN\ntwo\n' }, { 'HEAD:a': 'one\nJOIN\ntwo\n' });
    expect(await say('head a')).toEqual({ kind: 'text', text: 'one\n[redacted]\ntwo' });
  });

  it('reads both sides of each patch, of merges too, and skips ids of zeros and submodules', async () => {
    const patch = [
      `index ${idOf(0)}..${idOf(1)} 100644`,
      '@@ -1 +1 @@ SECRET as a heading',
      '+SECRET1',
      `index ${idOf(2)},${idOf(3)}..${idOf(4)}`,
      '++SECRET3',
      '',
    ].join('\n');
    const { say, asked } = toolOver({ stdout: patch }, { [idOf(1)]: 'SECRET1\n', [idOf(3)]: 'SECRET3\n' });
    const text = patch
      .replace(' SECRET as a heading', '')
      .replaceAll(/SECRET\d/g, '[redacted]')
      .trimEnd();
    expect(await say('git log -p')).toEqual({ kind: 'text', text });
    expect(asked.map(({ stdin }) => stdin?.toString())).toEqual([undefined, `${[1, 2, 3, 4].map(idOf).join('\n')}\n`]);
  });

  it('shows no match of a file that it cannot ask for', async () => {
    const stdout = ['HEAD:a', '1', 'SECRET1\n--\nHEAD:b\nc', '2', 'open\nHEAD:gone', '3', 'open\n'].join('\0');
    const { say } = toolOver({ stdout }, { 'HEAD:a': 'SECRET1\n', c: 'open\n' });
    expect(await say('git grep x')).toEqual({ kind: 'text', text: 'a:1:[redacted]\n[not shown]\n[not shown]' });
  });

  it('shows nothing of an object that it cannot read', async () => {
    const { say } = toolOver({ stdout: 'open\n' });
    expect(await say('head a')).toEqual({ kind: 'failed', text: 'the output could not be scanned for secrets' });
  });

  it('shows nothing when there is more than can be searched', async () => {
    const stdout = Array.from({ length: MAX_SOURCES + 1 }, (_, at) => `index ${idOf(0)}..${idOf(at + 1)}\n`).join('');
    const { say, asked } = toolOver({ stdout });
    expect(await say('git log -p')).toMatchObject({ kind: 'failed', text: expect.stringMatching(/ask for fewer/) });
    expect(asked).toHaveLength(1);
  });

  it('reads what it has read before once', async () => {
    const { say, asked } = toolOver({ stdout: 'x\n' }, { 'HEAD:a': 'x\n' });
    for (const command of ['head a', 'head -n 1 a', 'git blame a'])
      expect(await say(command)).toMatchObject({ text: 'x' });
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['was cut', { truncated: true, code: null }, '[the output was cut after 256 KiB; ask for less]'],
    ['took too long', { timedOut: true, code: null }, '[the command was stopped after 10 s; ask for less]'],
    ['was killed', { code: null }, '[exit: killed by a signal]'],
    ['failed', { code: 3, stderr: 'why\n' }, 'why\n[exit: code 3]'],
  ])('says that a program %s, and leaves out half a line', async (_, ending, notice) => {
    const half = ending.code === null ? 'SECR' : '';
    expect(await toolOver({ stdout: `one\n${half}`, ...ending }).say('ls')).toEqual({
      kind: 'text',
      text: `one\n${notice}`,
    });
    expect(await toolOver({ stdout: half, ...ending }).say('ls')).toEqual({ kind: 'failed', text: notice });
  });

  it('throws what the cage throws: the dispatcher tells the model only that the tool failed', async () => {
    const tool = createBashTool(() => Promise.reject(new Error('no cage')), protect);
    await expect(tool.execute({ command: 'ls' }, never)).rejects.toThrow('no cage');
  });

  it.each([{}, { command: 7 }, { command: '' }, { command: 'x'.repeat(3_000) }, 'ls', null])(
    'refuses the input %j',
    async (input) => {
      const { asked, ...tool } = toolOver({});
      expect(asked).toEqual([]);
      expect(await createBashTool(async () => OK, protect).execute(input, never)).toMatchObject({ kind: 'failed' });
      expect(tool).toBeDefined();
    },
  );
});

describe('parseBatch', () => {
  const header = `${idOf(1)} blob 3`;
  it.each([
    ['an object after one that is missing', `a missing\n${header}\nx\ny\n`, new Map([['b', 'x\ny']])],
    ['a folder as nothing', `${idOf(1)} tree 3\nx\ny\na missing\n`, new Map([['a', '']])],
    ['nothing of an output that ends early', `${header}\nx`, null],
    ['nothing of an output with fewer answers', 'a missing\n', null],
  ])('reads %s', (_, output, found) => {
    expect(parseBatch(Buffer.from(output), ['a', 'b'])).toEqual(found);
  });
});

describe('parseMatches', () => {
  it('leaves out what does not go like git grep, and all that follows', () => {
    const output = ['HEAD:a', '1', 'x', 'y\nHEAD:b', 'no', 'z\nHEAD:c', '1', 'x\n'].join('\0');
    expect(parseMatches(output)).toEqual([{ name: 'HEAD:a', line: '1', text: 'x\0y' }]);
  });

  it('is linear in an output of any kind', () => {
    const startedAt = process.cpuUsage();
    parseMatches('x'.repeat(256 * 1024));
    parseMatches('\0'.repeat(256 * 1024));
    expect(process.cpuUsage(startedAt).user).toBeLessThan(200_000);
  });
});

describe('createHiding', () => {
  it('takes the longest line that one ends with', async () => {
    const lines = await findSecretLines('b SECRET1\nab SECRET1\nSECRET1\n', protect, never);
    expect(['x ab SECRET1', 'x b SECRET1', 'SECRET1', 'SECRET12', ''].map(createHiding([lines]))).toEqual([
      'x ab [redacted]',
      'x b [redacted]',
      '[redacted]',
      'SECRET12',
      '',
    ]);
  });
});

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const bodyLine = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 64, maxLength: 64 })
  .map((letters) => letters.join(''));
const plainLine = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '=', ':', '\t', 'é'), maxLength: 30 });

/** A file with a key in it, built here so that no scanner takes this one for a leak. */
const fileWithKey = fc.record({
  before: fc.array(plainLine, { maxLength: 5 }),
  body: fc.array(bodyLine, { minLength: 3, maxLength: 30 }),
  after: fc.array(plainLine, { maxLength: 5 }),
  indent: fc.constantFrom('', '    ', '\t', '  | '),
  end: fc.constantFrom('\n', '\r\n'),
});

const edge = (word: string): string => `-----${word} ${['RSA', 'PRIVATE', 'KEY'].join(' ')}-----`;

describe('any lines of a file with a key, with anything in front', () => {
  it('never hold a line of its body', async () => {
    const real = createProtect(createRedactor([]));
    const lines = fc.array(
      fc.tuple(fc.constantFrom('', '+', '-', ' ', '++', 'abc1234 (A 2024 7) ', 'HEAD:a:7:'), fc.nat(40)),
    );
    await fc.assert(
      fc.asyncProperty(fileWithKey, lines, async ({ before, body, after, indent, end }, picked) => {
        const key = [edge('BEGIN'), ...body, edge('END')].map((line) => indent + line);
        const all = [...before, ...key, ...after, ''].join(end).split('\n');
        const stdout = picked.map(([prefix, at]) => `${prefix}${all[at % all.length]}\n`).join('');
        const { tool } = toolOver({ stdout }, { 'HEAD:a': all.join('\n') }, real);
        const result = JSON.stringify(await tool.execute({ command: 'head a' }, never));
        expect(body.filter((line) => result.includes(line))).toEqual([]);
      }),
      propertyRuns(60, 3_000),
    );
  });
});
