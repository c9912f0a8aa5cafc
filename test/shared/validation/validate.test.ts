/** The operator's validation commands at one head: in a real cage where this machine has one, by a scripted one else. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ValidationCommand } from '../../../shared/config/validation-settings.ts';
import { validationReasons, validationText } from '../../../shared/rounds/model/validations.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { projectIn } from '../../../shared/runtime/settings-of-brief.ts';
import { validate, type Validating } from '../../../shared/validation/validate.ts';
import type { Cage, CagedArgv, CagedCommand, CageResult } from '../../../shared/workspace/cage/cage.ts';
import { ProcessStartError } from '../../../shared/workspace/process/command.ts';
import { findTestCage } from '../../support/cage.ts';
import { createReviewWorld, type ReviewWorld, textOf } from '../../services/reviewer/review-world.ts';

const SECRET = ['our', 'own', 'secret', '0123456789'].join('-');

process.env['FIXPOINT_TEST_CANARY'] = 'CANARY';
const { cage: found, folder, dispose, why } = await findTestCage();

let world: ReviewWorld;
let head: CommitSha;
beforeAll(() => {
  world = createReviewWorld();
  head = world.commit({ 'a.txt': textOf('in the tree'), 'run.sh': textOf('echo from the tree; exit 3') });
});
afterAll(async () => {
  delete process.env['FIXPOINT_TEST_CANARY'];
  world.dispose();
  dispose();
});

const command = (name: string, argv: CagedArgv, more: Partial<ValidationCommand> = {}): ValidationCommand => ({
  name,
  command: [...argv],
  projects: [],
  timeoutS: 20,
  writable: false,
  ...more,
});
const shell = (name: string, script: string, more: Partial<ValidationCommand> = {}): ValidationCommand =>
  command(name, ['/bin/sh', '-c', script], more);

const validateWith = async (
  commands: readonly ValidationCommand[],
  {
    project = 'shop-team/shop',
    isWanted = async () => true,
    head: at = head,
    ...more
  }: Partial<Validating & Wish> = {},
) =>
  validate(
    { revisions: world.source().revisions, head: at, project, isWanted },
    {
      cage: found,
      commands,
      checkoutFolder: join(folder, 'checkouts'),
      redact: createRedactor([SECRET]),
      nowMs: () => performance.now(),
      ...more,
    },
    new AbortController().signal,
  );
type Wish = { readonly head: CommitSha; readonly project: string; readonly isWanted: () => Promise<boolean> };

describe('on an incomplete checkout', () => {
  /** Any command would pass here. */
  const passing: Cage = {
    run: async () => ({
      code: 0,
      signal: null,
      stdout: Buffer.from('green'),
      stderr: Buffer.from(''),
      timedOut: false,
      truncated: false,
    }),
  } as unknown as Cage;
  /** The files are in no later commit. */
  const commitOnly = (files: Readonly<Record<string, string | Buffer>>): CommitSha => {
    const at = world.commit(files);
    world.repository.write(Object.fromEntries(Object.keys(files).map((name) => [name, null])));
    return at;
  };
  const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';

  it.each<[what: string, files: Readonly<Record<string, string | Buffer>>, output: string]>([
    ['a file is too large', { 'big.bin': Buffer.alloc(101 * 1024 * 1024) }, '1 file (1: too large)'],
    ['a file is in Git LFS', { 'model.bin': Buffer.from(POINTER) }, 'the content of 1 file in Git LFS'],
    ['a name cannot be written', { 'a\nb.txt': Buffer.from('x') }, '1 file (1: a control character)'],
  ])('no command is run when %s, and the result says why', async (_what, files, missing) => {
    const at = commitOnly(files);
    const results = await validateWith([shell('unit', 'true'), shell('lint', 'true')], { head: at, cage: passing });
    const output = `The checkout lacks ${missing}.`;
    expect(results).toEqual(
      ['unit', 'lint'].map((name) => ({ name, result: 'not_run', durationMs: 0, output: expect.any(String) })),
    );
    expect(results?.[0]?.output).toBe(output);
    expect(validationText(results ?? [])).toContain(`- \`unit\` **could not be run**: ${output}`);
    expect(validationReasons(results ?? [])).toEqual(['validation could not be run: `unit`, `lint`']);
  });

  it('a file that is too large for a review is there', async () => {
    const at = commitOnly({ 'big.bin': Buffer.alloc(6 * 1024 * 1024) });
    expect(await validateWith([shell('unit', 'true')], { head: at, cage: passing })).toMatchObject([
      { result: 'passed' },
    ]);
  });
});

describe.skipIf(found === null)(`a validation command${why}`, () => {
  it.each<[what: string, one: ValidationCommand, result: string, output: RegExp]>([
    ['passes with status 0', shell('x', 'cat a.txt'), 'passed', /^in the tree$/],
    [
      'fails with another status, and both its outputs are kept',
      shell('x', 'echo out; echo err >&2; exit 3'),
      'failed',
      /^out\nerr$/,
    ],
    [
      'fails when it takes longer than it may',
      shell('x', 'echo so far; sleep 60', { timeoutS: 1 }),
      'failed',
      /^so far\n\[killed after 1 s\]$/,
    ],
    [
      'fails when it prints without end',
      command('x', ['/usr/bin/yes']),
      'failed',
      /y\n\[killed after \d+ bytes of output\]$/,
    ],
    ['fails when it is killed for its memory or by itself', shell('x', 'kill -9 $$'), 'failed', /^$/],
    ['was not run when there is no such program', command('x', ['/usr/bin/no-such-program']), 'not_run', /not found/],
    ['sees the tree read-only', shell('x', 'echo x > a.txt'), 'failed', /Read-only file system/],
    [
      'works in a copy where it may write',
      shell('x', 'echo x >> a.txt && cat a.txt', { writable: true }),
      'passed',
      /^in the tree\nx$/,
    ],
    [
      'has neither the accounts, the processes nor the environment of the service',
      shell('x', 'cat /etc/passwd /proc/1/environ; env'),
      'passed',
      /^((?!root:|CANARY).)*HOME=\/tmp((?!root:|CANARY).)*$/s,
    ],
    [
      'reaches no network',
      shell(
        'x',
        'perl -MIO::Socket::INET -e \'exit(IO::Socket::INET->new(PeerAddr => "127.0.0.1:1") ? 0 : print("none"))\'',
      ),
      'failed',
      /^none$/,
    ],
    ['runs a program of the tree by its interpreter', command('x', ['/bin/sh', 'run.sh']), 'failed', /^from the tree$/],
    [
      'takes its words as they are',
      command('x', ['/bin/echo', '$(id)', '; exit 1', '"']),
      'passed',
      /^\$\(id\) ; exit 1 "$/,
    ],
  ])('%s', async (_, one, result, output) => {
    const validated = await validateWith([one]);
    expect(validated).toEqual([
      { name: 'x', result, durationMs: expect.any(Number), output: expect.stringMatching(output) },
    ]);
  });
});

describe.skipIf(found === null)(`a validation command that writes${why}`, () => {
  it('was not run when there is no room for its copy', async () => {
    // More than the test's cage has for `/tmp`, in files that a checkout still takes.
    const large = world.commit(
      Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`${index}.bin`, Buffer.alloc(4_500_000, 'x')])),
    );
    const [result] = (await validateWith([shell('x', 'true', { writable: true })], { head: large })) ?? [];
    expect(result).toMatchObject({ result: 'not_run', output: expect.stringContaining('No space left') });
  });
});

/** Answers every command alike, and remembers what it was asked. */
const scriptedCage = (answer: Partial<CageResult> | Error) => {
  const asked: (readonly [CagedArgv, CagedCommand])[] = [];
  const cage: Cage = {
    programs: { node: '/usr/bin/node', ripgrep: '/usr/bin/rg' },
    run: async (argv, command) => {
      asked.push([argv, command]);
      if (answer instanceof Error) throw answer;
      return {
        code: 0,
        signal: null,
        stdout: Buffer.from(''),
        stderr: '',
        truncated: false,
        timedOut: false,
        ...answer,
      };
    },
    start: () => {
      throw new Error('nothing goes on here');
    },
  };
  return { cage, asked };
};

describe('validation', () => {
  it('runs each command of the project in order, by a shell that reads none of its words', async () => {
    const { cage, asked } = scriptedCage({});
    const commands = [
      command('types', ['/usr/bin/tsc', '-p', '.']),
      command('others', ['/usr/bin/false'], { projects: ['shop-team/other', 'other/*'] }),
      command('tests', ['/usr/bin/npm', 'test'], { projects: ['Shop-Team/*'], timeoutS: 7 }),
    ];
    const results = await validateWith(commands, { cage });
    expect(results?.map(({ name, result }) => [name, result])).toEqual([
      ['types', 'passed'],
      ['tests', 'passed'],
    ]);
    expect(asked.map(([argv]) => argv)).toEqual([
      ['/bin/sh', '-c', 'exec "$@" 2>&1', 'validation', '/usr/bin/tsc', '-p', '.'],
      ['/bin/sh', '-c', 'exec "$@" 2>&1', 'validation', '/usr/bin/npm', 'test'],
    ]);
    expect(asked[1]?.[1]).toMatchObject({ timeoutMs: 7000, env: { HOME: '/tmp' } });
    expect(await readdir(join(folder, 'checkouts'))).toEqual([]);
  });

  it('takes secrets out before it cuts, and keeps the end of what was printed', async () => {
    const { cage } = scriptedCage({
      code: 1,
      stdout: Buffer.from(`${'x'.repeat(9000)}${SECRET}${'y'.repeat(3980)}\u001b[2J`),
    });
    const [result] = (await validateWith([shell('x', 'true')], { cage })) ?? [];
    expect(result?.output.length).toBeLessThanOrEqual(4000);
    expect(result?.output).not.toContain(SECRET.slice(-8));
    expect(result?.output).toMatch(/yyy\[U\+001B\]\[2J$/);
  });

  it.each<[what: string, answer: Partial<CageResult> | Error, result: string]>([
    ['its cage was killed', { code: null, signal: 'SIGKILL' }, 'not_run'],
    ['it cannot be executed', { code: 126 }, 'not_run'],
    ['it was ended for its time, whatever its status', { code: 0, timedOut: true }, 'failed'],
    ['it was ended for its output, whatever its status', { code: 0, truncated: true }, 'failed'],
    [
      'no cage could be started',
      new ProcessStartError({ code: 'COMMAND_NOT_STARTED', message: 'x', disposition: { kind: 'retry' } }),
      'not_run',
    ],
  ])('that says nothing about the code is no pass: %s', async (_, answer, result) => {
    const { cage } = scriptedCage(answer);
    const results = await validateWith([shell('x', 'true')], { cage });
    expect(results?.map((each) => each.result)).toEqual([result]);
  });

  it('runs nothing outside of a cage', async () => {
    expect(await validateWith([shell('x', 'true'), shell('y', 'true')], { cage: null })).toEqual([
      { name: 'x', result: 'not_run', durationMs: 0, output: 'There is no cage on this machine.' },
      { name: 'y', result: 'not_run', durationMs: 0, output: 'There is no cage on this machine.' },
    ]);
  });

  it('stops between two commands when nobody wants the head any more, and then says nothing', async () => {
    const { cage, asked } = scriptedCage({});
    const isWanted = async (): Promise<boolean> => asked.length === 0;
    expect(await validateWith([shell('x', 'true'), shell('y', 'true')], { cage, isWanted })).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it('asks for nothing where nothing is configured for the project', async () => {
    const elsewhere = command('x', ['/usr/bin/false'], { projects: ['other/*'] });
    expect(await validateWith([elsewhere], { cage: null })).toEqual([]);
  });
});

it.each([
  ['https://forge.example/owner/name.git', 'https://forge.example', 'owner/name'],
  ['https://forge.example/sub/group/inner/name.git', 'https://forge.example/sub', 'group/inner/name'],
  ['http://127.0.0.1:3000/owner/na%2Eme', 'http://127.0.0.1:3000/', 'owner/na.me'],
])('knows the project of %s', (gitUrl, baseUrl, project) => {
  expect(projectIn(gitUrl, baseUrl)).toBe(project);
});
