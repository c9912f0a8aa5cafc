/** Analyzers on a checkout: in a real cage where this machine has one, by a scripted one else. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyze, type FileOfInterest } from '../../../shared/analyzers/analyze.ts';
import { COPY } from '../../../shared/analyzers/caged-report.ts';
import { type Analyzer, AnalyzerSettings } from '../../../shared/config/analyzer-settings.ts';
import type { Cage, CagedArgv, CageResult } from '../../../shared/workspace/cage/cage.ts';
import { ProcessStartError } from '../../../shared/workspace/process/command.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { hasShellcheck, SHELLCHECK } from '../../support/analyzer-programs.ts';
import { findTestCage } from '../../support/cage.ts';
import { createReviewWorld, type ReviewWorld, textOf } from '../../services/reviewer/review-world.ts';

const { cage: found, folder, dispose, why } = await findTestCage();

const SCRIPT = textOf('#!/bin/sh', 'echo $1', 'ls');

let world: ReviewWorld;
let head: CommitSha;
beforeAll(() => {
  world = createReviewWorld();
  head = world.commit({ 'run.sh': SCRIPT, 'src/-odd name.sh': SCRIPT, 'a.js': textOf('eval(x)') });
});
afterAll(() => {
  world.dispose();
  dispose();
});

const analyzerOf = (more: object): Analyzer => {
  const [analyzer] = AnalyzerSettings.parse([{ name: 'lint', command: ['/bin/true'], format: 'rdjsonl', ...more }]);
  if (analyzer === undefined) throw new Error('no analyzer');
  return analyzer;
};
const shell = (script: string, more: object = {}): Analyzer =>
  analyzerOf({ command: ['/bin/sh', '-c', script], ...more });

const CHANGED: readonly FileOfInterest[] = ['run.sh', 'src/-odd name.sh', 'a.js'].map((path) => ({ path, rule: null }));

const NO_REPORT = async (): Promise<null> => null;

type Wish = {
  readonly cage?: Cage | null;
  readonly project?: string | null;
  readonly files?: readonly FileOfInterest[];
};

const analyzeWith = async (
  analyzers: readonly Analyzer[],
  { cage = found, project = 'shop-team/shop', files = CHANGED }: Wish = {},
) =>
  analyze(
    { revisions: world.source().revisions, head, project, files, ciReport: NO_REPORT },
    { cage, analyzers, checkoutFolder: join(folder, 'checkouts'), nowMs: () => performance.now() },
    new AbortController().signal,
  );

const line = (path: string, more: object = {}): string =>
  JSON.stringify({ message: 'bad', location: { path, range: { start: { line: 1 } } }, code: { value: 'x' }, ...more });

const HIT = {
  rule: 'lint/x',
  severity: 'P2',
  path: 'a.js',
  startLine: 1,
  endLine: 1,
  title: 'bad',
  body: 'The rule `lint/x` reports this line.',
  suppressed: false,
};

describe.skipIf(found === null)(`an analyzer in the cage${why}`, () => {
  it.skipIf(!hasShellcheck)('finds what shellcheck finds in the changed files', async () => {
    const command = [SHELLCHECK, '--norc', '-f', 'checkstyle', '{files}'];
    const shellcheck = analyzerOf({ name: 'shellcheck', command, format: 'checkstyle', paths: ['*.sh'] });
    const { ran, hits, failed } = await analyzeWith([shellcheck]);
    expect({ ran, failed }).toEqual({
      ran: [
        {
          name: 'shellcheck',
          paths: ['run.sh', 'src/-odd name.sh'],
          knows: ['run.sh', 'src/-odd name.sh'],
        },
      ],
      failed: [],
    });
    const one = {
      rule: 'shellcheck/SC2086',
      severity: 'P3',
      startLine: 2,
      title: expect.stringContaining('Double quote'),
    };
    expect(hits).toMatchObject([
      { ...one, path: 'run.sh' },
      { ...one, path: 'src/-odd name.sh' },
    ]);
    expect(await readdir(join(folder, 'checkouts'))).toEqual([]);
  });

  it.each<[what: string, analyzer: Analyzer, reason: string | RegExp]>([
    ['crashes', shell('kill -SEGV $$'), 'crashed or was killed'],
    ['ends with a code of its own', shell('exit 2'), 'ended with exit code 2'],
    ['fails with the code for problems', shell('echo oops >&2; exit 1'), 'ended with exit code 1 and reported nothing'],
    ['hangs', shell('sleep 600', { timeoutS: 1 }), 'did not end within 1 s'],
    ['writes without end', analyzerOf({ command: ['/usr/bin/yes'] }), 'wrote more than 33554432 bytes'],
    [
      'does not exist',
      analyzerOf({ command: ['/usr/bin/no-such-linter'] }),
      /^did not run: its program does not exist/,
    ],
    ['writes another format', shell('echo "<checkstyle/>"'), /^wrote no rdjsonl/],
    ['writes nothing', shell('true', { format: 'sarif' }), 'wrote no report'],
    [
      'writes another version of its format',
      shell(`echo '{"version":"2.0.0","runs":[]}'`, { format: 'sarif' }),
      'wrote SARIF version 2.0.0; only 2.1.0 is read',
    ],
    [
      'stops in the middle',
      shell(`echo '{"version":"2.1.0","runs":[{"tool":'`, { format: 'sarif' }),
      /^wrote no SARIF/,
    ],
  ])('has failed if it %s', async (_, analyzer, reason) => {
    const { ran, hits, failed } = await analyzeWith([analyzer]);
    expect(failed).toEqual([
      { name: 'lint', reason: reason instanceof RegExp ? expect.stringMatching(reason) : reason },
    ]);
    expect({ ran, hits }).toEqual({ ran: [], hits: [] });
  });

  it.each<[what: string, path: string, reason: string]>([
    ['outside of the tree', '/etc/passwd', 'reported 1 result without a place inside of the repository'],
    ['above the tree', '../../x', 'reported 1 result without a place inside of the repository'],
    ['of a file that does not exist', 'src/a.js', 'reported results for 1 files that the repository does not contain'],
  ])('keeps its other findings, but has failed, if it reports a place %s', async (_, path, reason) => {
    const lint = shell(`echo '${line('a.js')}'; echo '${line(path)}'; exit 1`);
    expect(await analyzeWith([lint])).toEqual({ v: 1, ran: [], hits: [HIT], failed: [{ name: 'lint', reason }] });
  });

  it('works in a copy if it must write, and reports absolute paths of either folder', async () => {
    const script = `echo x > new.txt && echo '${line('/workspace/a.js')}' && echo '${line(`${COPY}/a.js`)}'`;
    expect(await analyzeWith([shell(script)])).toMatchObject({ failed: [{ reason: 'ended with exit code 2' }] });
    expect(await analyzeWith([shell(script, { writable: true })])).toMatchObject({ hits: [HIT, HIT], failed: [] });
  });

  it('reports severities as the operator grades them', async () => {
    const script = ['ERROR', 'WARNING', 'INFO'].map((severity) => `echo '${line('a.js', { severity })}'`).join(';');
    const grades = async (severity?: object) =>
      (await analyzeWith([shell(script, severity === undefined ? {} : { severity })])).hits.map((hit) => hit.severity);
    expect(await grades()).toEqual(['P1', 'P2', 'P3']);
    expect(await grades({ error: 'P0', warning: 'off' })).toEqual(['P0', 'P3']);
  });
});

/** Answers every command alike, and remembers what it was asked. */
const scriptedCage = (answer: Partial<CageResult> | Error) => {
  const asked: CagedArgv[] = [];
  const cage: Cage = {
    programs: { node: '/usr/bin/node', ripgrep: '/usr/bin/rg' },
    run: async (argv) => {
      asked.push(argv);
      if (answer instanceof Error) throw answer;
      const ended = { code: 0, signal: null, stdout: Buffer.from(''), stderr: '', truncated: false, timedOut: false };
      return { ...ended, ...answer };
    },
    start: () => {
      throw new Error('nothing goes on here');
    },
  };
  return { cage, asked };
};

describe('analyzers', () => {
  it('run only if a file of theirs is changed, and only for their projects', async () => {
    const { cage, asked } = scriptedCage({});
    const analyzers = [
      analyzerOf({ name: 'py', paths: ['*.py'] }),
      analyzerOf({ name: 'other', projects: ['other/*'] }),
      analyzerOf({ name: 'js', paths: ['*.js'], projects: ['Shop-Team/*'], command: ['/bin/js', '$(id)'] }),
    ];
    expect(await analyzeWith(analyzers, { cage })).toMatchObject({ ran: [{ name: 'js', paths: ['a.js'] }] });
    expect(asked).toEqual([['/bin/sh', '-c', 'exec "$@"', 'analyzer', '/bin/js', '$(id)']]);
    expect(await analyzeWith(analyzers, { cage, project: null })).toMatchObject({ ran: [] });
  });

  it('also run for the file of a thread of their own, unless it no longer exists', async () => {
    const { cage } = scriptedCage({});
    const files = [
      { path: 'a.js', rule: 'lint/x' },
      { path: 'gone.js', rule: 'lint/x' },
      { path: 'run.sh', rule: 'other/x' },
    ];
    expect(await analyzeWith([analyzerOf({})], { cage, files })).toMatchObject({ ran: [{ paths: ['a.js'] }] });
    const gone = [{ path: 'gone.js', rule: 'lint/x' }];
    expect(await analyzeWith([analyzerOf({})], { cage, files: gone })).toMatchObject({
      ran: [{ paths: [] }],
      failed: [],
    });
  });

  it('know the language of changed files that their `paths` name, and of no others', async () => {
    const { cage } = scriptedCage({});
    const files: readonly FileOfInterest[] = [
      ...CHANGED,
      { path: 'gone.js', rule: null, hasNoLines: true },
      { path: 'thread.js', rule: 'lint/x' },
    ];
    const ranOf = async (more: object, asked = files) =>
      (await analyzeWith([analyzerOf(more)], { cage, files: asked })).ran;
    expect(await ranOf({ paths: ['*.js'] })).toEqual([{ name: 'lint', paths: ['a.js'], knows: ['a.js', 'gone.js'] }]);
    expect(await ranOf({})).toEqual([{ name: 'lint', paths: ['a.js', 'run.sh', 'src/-odd name.sh'] }]);
    expect(await ranOf({ paths: ['*.js'] }, [{ path: 'a.js', rule: 'lint/x' }])).toEqual([
      { name: 'lint', paths: ['a.js'] },
    ]);
  });

  it('do not run for files without lines, even without a cage', async () => {
    const files: readonly FileOfInterest[] = [{ path: 'gone.js', rule: null, hasNoLines: true }];
    const { cage, asked } = scriptedCage({});
    const known = { ran: [{ name: 'lint', paths: [], knows: ['gone.js'] }], failed: [] };
    expect(await analyzeWith([analyzerOf({ paths: ['*.js'] })], { cage, files })).toMatchObject(known);
    expect(await analyzeWith([analyzerOf({ paths: ['*.js'] })], { cage: null, files })).toMatchObject(known);
    expect(await analyzeWith([analyzerOf({})], { cage: null, files })).toMatchObject({ ran: [], failed: [] });
    expect(asked).toEqual([]);
  });

  it('get file names that are no options, and no other words of the change', async () => {
    const { cage, asked } = scriptedCage({});
    await analyzeWith([analyzerOf({ command: ['/bin/lint', '{files}', '--end'] })], { cage });
    expect(asked[0]?.slice(4)).toEqual(['/bin/lint', './a.js', './run.sh', './src/-odd name.sh', '--end']);
  });

  it.each<[what: string, answer: Partial<CageResult> | Error, reason: string]>([
    ['its cage was killed', { code: null, signal: 'SIGKILL' }, 'crashed or was killed'],
    ['it was ended for its time, whatever its status', { timedOut: true }, 'did not end within 120 s'],
    ['it was ended for its output, whatever its status', { truncated: true }, 'wrote more than 33554432 bytes'],
    ['there was no room for its copy', { code: 199 }, 'did not run: there was no room for a copy of the tree'],
    [
      'no cage could be started',
      new ProcessStartError({ code: 'COMMAND_NOT_STARTED', message: 'x', disposition: { kind: 'retry' } }),
      'did not run: the cage could not be started',
    ],
    [
      'it reports too much about the change',
      { stdout: Buffer.from(`${line('a.js')}\n`.repeat(2_001)) },
      'reported more than 2000 problems in files of the change',
    ],
  ])('have failed if %s', async (_, answer, reason) => {
    const { cage } = scriptedCage(answer);
    expect(await analyzeWith([analyzerOf({})], { cage })).toMatchObject({
      ran: [],
      failed: [{ name: 'lint', reason }],
    });
  });

  it('have failed without a cage', async () => {
    expect(await analyzeWith([analyzerOf({})], { cage: null })).toEqual({
      v: 1,
      ran: [],
      hits: [],
      failed: [{ name: 'lint', reason: 'did not run: there is no cage on this machine' }],
    });
  });

  it('have failed if a changed file is too large for the checkout', async () => {
    const { cage } = scriptedCage({});
    const large = world.commit({ 'large.js': Buffer.alloc(6 * 1024 * 1024, 'x') });
    const analysis = await analyze(
      {
        revisions: world.source().revisions,
        head: large,
        project: null,
        files: [{ path: 'large.js', rule: null }],
        ciReport: NO_REPORT,
      },
      { cage, analyzers: [analyzerOf({})], checkoutFolder: join(folder, 'checkouts'), nowMs: () => 0 },
      new AbortController().signal,
    );
    expect(analysis).toMatchObject({ ran: [], failed: [{ reason: expect.stringContaining('did not see 1 files') }] });
  });
});
