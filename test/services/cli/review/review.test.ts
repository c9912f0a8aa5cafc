/** `fixpoint review` as a process: what it prints and how it ends, on repositories of every kind. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { createRepository, type Repository, temporaryFolder } from '../../../shared/workspace/repository.ts';
import { runCli } from '../run-cli.ts';

/** Each is a process of its own, which takes its time to start. */
const DEEP = process.env['FIXPOINT_DEEP'] === '1';

const RUN_MS = 60_000;
const EVAL = 'export const run = (text) => eval(text);\n';

let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;

beforeAll(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'repository'));
  repository.write({ 'README.md': '# Shop\n' });
  repository.commit('base');
  repository.git('branch', 'base');
});
afterAll(() => folder?.dispose());

const branch = (name: string, files: Readonly<Record<string, string | Buffer | null>>): string => {
  repository.git('checkout', '--quiet', '-B', name, 'base');
  repository.write(files);
  return repository.commit(name);
};

const review = async (head: string, ...more: readonly string[]) =>
  runCli(['review', '--repo', repository.workTree, '--base', 'base', '--head', head, '--format', 'json', ...more]);

const reviewed = async (head: string) => {
  const { code, stdout, stderr } = await review(head, '--runner', 'rules', '--quiet');
  expect(stderr).toBe('');
  return { code, output: ReviewOutput.parse(JSON.parse(stdout)) };
};

describe('L2: fixpoint review', () => {
  test(
    'ends with 0 when nothing blocks',
    async () => {
      const { code, output } = await reviewed(branch('clean', { 'one.js': 'export const one = 1;\n' }));
      expect({ code, ...output }).toMatchObject({
        code: 0,
        verdict: 'lgtm',
        findings: [],
        coverage: { files: 1, reviewed: 1, omitted: [], complete: true },
        spent: { modelCalls: 0, costUsd: 0 },
      });
    },
    RUN_MS,
  );

  test(
    'C1: obeys the settings of the base, and names what the head makes of them',
    async () => {
      repository.git('checkout', '--quiet', '-B', 'settings', 'base');
      repository.write({ '.fixpoint.toml': '[review]\nexclude_paths = ["docs/"]\n[sandbox]\n' });
      const base = repository.commit('settings');
      repository.write({ '.fixpoint.toml': '[review]\nexclude_paths = ["**"]\n', 'docs/a.js': 'a();\n', 'b.js': EVAL });
      const head = repository.commit('change');
      const range = ['--repo', repository.workTree, '--base', base, '--head', head, '--runner', 'rules'];
      const json = await runCli(['review', ...range, '--format', 'json']);
      const { notes, coverage } = ReviewOutput.parse(JSON.parse(json.stdout));
      expect(notes).toEqual([
        expect.stringMatching(/^`\.fixpoint\.toml`: `sandbox` is ignored: only the operator can set it$/),
        expect.stringMatching(
          /^The change edits `\.fixpoint\.toml`: this review uses the version of the target branch/,
        ),
      ]);
      expect(coverage.omitted.map(({ path }) => path)).toEqual(['docs/a.js']);
      const text = await runCli(['review', ...range]);
      expect(text.stdout).toContain(['Settings and instructions:', ...notes].join('\n  '));
    },
    RUN_MS,
  );

  test(
    'F-W11: ends with 1 when something blocks, and says where, with the verdict in a line of its own',
    async () => {
      const { code, output } = await reviewed(branch('eval', { 'src/run.js': EVAL }));
      expect({ code, verdict: output.verdict, findings: output.findings }).toMatchObject({
        code: 1,
        verdict: 'feedback',
        findings: [{ id: 'F-001', severity: 'P1', path: 'src/run.js', side: 'new', startLine: 1, line: 1 }],
      });
      expect(output.findings[0]?.evidence).toContain('eval(text)');
      // F-W11: each finding says whether it blocks, and the verdict has its own line.
      expect(output.findings[0]?.blocking).toBe(true);
      expect(output.summary).toMatch(/\.\nVerdict feedback: F-001 is new and blocks\.$/);
    },
    RUN_MS,
  );

  test(
    'ends with 3 when a file could not be reviewed',
    async () => {
      const long = `export const text = '${'x'.repeat(40)}';\n`.repeat(16_000);
      const { code, output } = await reviewed(branch('long', { 'long.js': long }));
      expect({ code, verdict: output.verdict, complete: output.coverage.complete }).toEqual({
        code: 3,
        verdict: 'inconclusive',
        complete: false,
      });
      expect(output.coverage.omitted).toMatchObject([{ path: 'long.js' }]);
    },
    RUN_MS,
  );

  test.each([
    ['an unknown revision', ['--base', 'base', '--head', 'no-such-branch']],
    ['a missing base', []],
    ['an unknown format', ['--base', 'base', '--format', 'xml']],
    ['an unknown runner', ['--base', 'base', '--runner', 'nobody']],
    ['a revision that looks like an option', ['--base', '--output=x', '--head', 'base']],
  ])(
    'ends with 2 for %s and prints nothing on stdout',
    async (_name, args) => {
      const { code, stdout, stderr } = await runCli(['review', '--repo', repository.workTree, ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toBe('');
      expect(stderr).not.toMatch(/^\s+at /m);
    },
    RUN_MS,
  );

  test(
    'ends with 2 outside of a repository',
    async () => {
      const { code, stderr } = await runCli(['review', '--repo', folder.path, '--base', 'base']);
      expect({ code, trace: /^\s+at /m.test(stderr) }).toEqual({ code: 2, trace: false });
    },
    RUN_MS,
  );

  test(
    'finds an unresolved merge',
    async () => {
      const text = ['<<<<<<< ours', 'one', '=======', 'two', '>>>>>>> theirs', ''].join('\n');
      const { code, output } = await reviewed(branch('conflict', { 'settings.yaml': text }));
      expect({ code, severities: output.findings.map(({ severity }) => severity) }).toMatchObject({ code: 1 });
      expect(output.findings).toMatchObject([{ severity: 'P0', path: 'settings.yaml' }]);
    },
    RUN_MS,
  );

  test.runIf(DEEP)(
    'lists binary files as not reviewed without calling the review incomplete',
    async () => {
      const { code, output } = await reviewed(
        branch('binary', { 'logo.dat': Buffer.from([0, 1, 2, 0, 255]), 'one.js': 'export const one = 1;\n' }),
      );
      expect({ code, complete: output.coverage.complete, reviewed: output.coverage.reviewed }).toEqual({
        code: 0,
        complete: true,
        reviewed: 1,
      });
      expect(output.coverage.omitted).toMatchObject([{ path: 'logo.dat', reason: expect.stringMatching(/binary/) }]);
    },
    RUN_MS,
  );

  test.runIf(DEEP)(
    'is inconclusive about a change of more files than it looks at',
    async () => {
      const objectId = repository.blob('one\n');
      const items = Array.from({ length: 5_001 }, (_, index) => `file-${index}.txt`)
        .toSorted()
        .map((name) => ({ mode: '100644', name, objectId }));
      const { code, output } = await reviewed(repository.commitTree(repository.rawTree(items), 'base'));
      expect({ code, verdict: output.verdict, omitted: output.coverage.omitted.length }).toEqual({
        code: 3,
        verdict: 'inconclusive',
        omitted: 1,
      });
    },
    RUN_MS,
  );
});

const ESCAPE = '\u001b';
/** Everything that could drive a terminal: controls but line feed and tab, and directional marks. */
const LIVE = /(?!\n|\t)\p{Cc}|\p{Bidi_Control}/u;

describe('L4: a repository cannot drive the terminal', () => {
  const name = `${ESCAPE}]8;;mailto:evil${ESCAPE}\\click${ESCAPE}[2J\u202e\u009b1m.js`;

  test.each(['text', 'json'])(
    'through file names and code, as %s',
    async (format) => {
      const code = `eval(process.argv[2] + "${ESCAPE}[31m\u202e");\n`;
      const tree = repository.rawTree([{ mode: '100644', name, objectId: repository.blob(code) }]);
      const head = repository.commitTree(tree, 'base');
      const done = await runCli([
        'review',
        '--repo',
        repository.workTree,
        '--base',
        'base',
        '--head',
        head,
        '--format',
        format,
      ]);
      expect(done.code).toBe(1);
      expect(done.stdout).toContain('eval runs a computed string as code');
      expect({ stdout: LIVE.exec(done.stdout)?.[0], stderr: LIVE.exec(done.stderr)?.[0] }).toEqual({});
    },
    RUN_MS,
  );

  test(
    'through the words of a mistake',
    async () => {
      const { code, stderr } = await runCli(['review', '--repo', repository.workTree, '--base', name]);
      expect({ code, live: LIVE.exec(stderr)?.[0] }).toEqual({ code: 2, live: undefined });
    },
    RUN_MS,
  );
});
