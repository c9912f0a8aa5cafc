/** An audit of a plain folder: what is looked at, what is not, and what may be called reviewed. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { review } from '../../../../services/cli/api.ts';
import type { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { UsageError } from '../../../../services/cli/terminal/usage-error.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { reply, toolUse } from '../../../sim/messages/reply.ts';
import { type ModelWorld, startModelWorld, WITHOUT_CAGE } from '../model-world.ts';
import { ROOT, runCli } from '../run-cli.ts';

const RUN_MS = 60_000;
const EVAL = 'export const run = (words) => eval(words);\n';

let world: ModelWorld;
let outer: ReturnType<typeof temporaryFolder>;
let folder = '';

beforeAll(async () => {
  world = await startModelWorld();
});
beforeEach(() => {
  outer = temporaryFolder();
  folder = path.join(outer.path, 'shop');
  mkdirSync(folder);
});
afterEach(() => {
  outer.dispose();
});
afterAll(async () => world?.sim.close());

const write = (files: Readonly<Record<string, string | Buffer>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
};

const audit = async (wish: Partial<Parameters<typeof review>[0]> = {}): Promise<ReviewOutput> =>
  review({ runner: 'rules', ...wish, mode: 'codebase', workspacePath: folder });

const withModel = async (): Promise<ReviewOutput> =>
  audit({ runner: 'agent', apiKey: world.sim.apiKey, baseUrl: world.sim.url, configPath: WITHOUT_CAGE });

const validate = new Ajv2020().compile(
  JSON.parse(readFileSync(path.join(ROOT, 'services/cli/review/review-output.schema.json'), 'utf8')),
);

const submit = (findings: readonly object[] = []) =>
  toolUse('submit_review', { summary: 'Looked at it.', findings, not_reviewed: [] });

describe('an audit by the rules', () => {
  test(
    'finds in every file of a folder without git, whoever wrote its lines and when',
    async () => {
      write({ 'src/run.js': EVAL, 'src/one.js': 'export const one = 1;\n', 'deep/er/run.js': `\n\n${EVAL}` });
      const output = await audit();
      expect(output).toMatchObject({ mode: 'codebase', verdict: 'feedback', unverified: [] });
      expect(output.findings.map(({ path: at, line, severity }) => [at, line, severity])).toEqual([
        ['deep/er/run.js', 3, 'P1'],
        ['src/run.js', 1, 'P1'],
      ]);
      expect(output.coverage).toMatchObject({ files: 3, reviewed: 3, omitted: [], complete: true });
      expect({ valid: validate(output), errors: validate.errors }).toEqual({ valid: true, errors: null });
    },
    RUN_MS,
  );

  test(
    'names what it leaves out by rule without calling the audit incomplete',
    async () => {
      write({
        'a.js': 'export const a = 1;\n',
        'node_modules/x/index.js': EVAL,
        'package-lock.json': '{}\n',
        'dist/app.min.js': EVAL,
        'logo.png': Buffer.from([0, 1, 2]),
        '.git/config': '[core]\n',
      });
      symlinkSync('a.js', path.join(folder, 'link.js'));
      const { verdict, coverage } = await audit();
      expect({ verdict, ...coverage }).toMatchObject({
        verdict: 'lgtm',
        files: 6,
        reviewed: 1,
        complete: true,
        omitted: [
          { path: 'dist/app.min.js', reason: 'minified, by its name' },
          { path: 'link.js', reason: 'a link' },
          { path: 'logo.png', reason: 'a binary file' },
          { path: 'node_modules', reason: 'vendored, by its path' },
          { path: 'package-lock.json', reason: 'a lock file' },
        ],
      });
    },
    RUN_MS,
  );

  test(
    'F-A3: reads a source file with a NUL, and is no pass when it has looked at nothing',
    async () => {
      write({ 'a.mjs': `/*\0*/\n${EVAL}` });
      const found = await audit();
      expect({ verdict: found.verdict, places: found.findings.map(({ path: at, line }) => [at, line]) }).toEqual({
        verdict: 'feedback',
        places: [['a.mjs', 2]],
      });
      rmSync(path.join(folder, 'a.mjs'));
      write({ 'logo.png': Buffer.from([0, 1, 2]) });
      expect(await audit()).toMatchObject({ verdict: 'inconclusive', coverage: { reviewed: 0 } });
    },
    RUN_MS,
  );

  test(
    'F-A7: names the languages that no rule knows, and is no pass then',
    async () => {
      write({ 'a.fs': 'run x\n', 'b.js': 'b();\n' });
      expect(await audit()).toMatchObject({
        verdict: 'inconclusive',
        coverage: { files: 2, reviewed: 1, unknownLanguages: [{ language: 'F#', files: 1 }] },
      });
    },
    RUN_MS,
  );

  test(
    'is inconclusive when a text file is too large to be looked at',
    async () => {
      write({ 'a.js': 'export const a = 1;\n', 'b.js': 'x;\n'.repeat(400_000) });
      const { verdict, coverage } = await audit();
      expect({ verdict, complete: coverage.complete, omitted: coverage.omitted }).toEqual({
        verdict: 'inconclusive',
        complete: false,
        omitted: [{ path: 'b.js', reason: 'too large (1200000 bytes)' }],
      });
    },
    RUN_MS,
  );

  test(
    'looks at more files than one batch holds',
    async () => {
      write(Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`run-${index}.js`, EVAL])));
      const { findings, coverage } = await audit();
      expect({ findings: findings.length, reviewed: coverage.reviewed }).toEqual({ findings: 450, reviewed: 450 });
    },
    RUN_MS,
  );

  test(
    'writes nothing into the folder',
    async () => {
      write({ 'src/run.js': EVAL });
      await audit();
      expect(
        readdirSync(folder, { recursive: true })
          .map(String)
          .toSorted((one, other) => (one < other ? -1 : 1)),
      ).toEqual(['src', 'src/run.js']);
    },
    RUN_MS,
  );

  test.each(['nowhere', 'file.txt'])('refuses %s as a folder', async (name) => {
    writeFileSync(path.join(outer.path, 'file.txt'), 'text');
    const wish = { mode: 'codebase', workspacePath: path.join(outer.path, name), runner: 'rules' } as const;
    await expect(review(wish)).rejects.toBeInstanceOf(UsageError);
  });
});

describe('an audit by a model', () => {
  test(
    'passes when every file was opened and nothing blocks',
    async () => {
      write({ 'a.js': 'export const a = 1;\n', 'src/b.js': 'export const b = 2;\n' });
      world.says(({ turn }) =>
        turn === 0
          ? reply([toolUse('Read', { path: 'a.js' }), toolUse('Read', { path: './src/b.js' })])
          : reply([submit()]),
      );
      const output = await withModel();
      expect(output).toMatchObject({ verdict: 'lgtm', coverage: { files: 2, reviewed: 2, complete: true } });
      expect(output.spent.modelCalls).toBe(2);
      expect({ valid: validate(output), errors: validate.errors }).toEqual({ valid: true, errors: null });
    },
    RUN_MS,
  );

  test(
    'does not pass on the word of a model that has not opened everything',
    async () => {
      write({ 'a.js': 'export const a = 1;\n', 'b.js': 'export const b = 2;\n' });
      world.says(({ turn }) => (turn === 0 ? reply([toolUse('Read', { path: 'a.js' })]) : reply([submit()])));
      const { verdict, coverage } = await withModel();
      expect({ verdict, reviewed: coverage.reviewed, omitted: coverage.omitted }).toEqual({
        verdict: 'inconclusive',
        reviewed: 1,
        omitted: [{ path: 'b.js', reason: 'only the built-in rules checked it; no model opened it' }],
      });
    },
    RUN_MS,
  );

  test(
    'counts what an explorer opened',
    async () => {
      write({ 'a.js': 'export const a = 1;\n' });
      const question = 'What does a.js export, and is it right?';
      world.says(({ tools, turn }) => {
        const isReviewer = tools.some(({ name }) => name === 'submit_review');
        if (isReviewer) return reply(turn === 0 ? [toolUse('Agent', { question })] : [submit()]);
        if (turn === 0) return reply([toolUse('Read', { path: 'a.js' })]);
        return turn === 1 ? reply([toolUse('WriteNotes', { text: '## Callers\n\nNone.\n' })]) : reply('Done.');
      });
      expect(await withModel()).toMatchObject({ verdict: 'lgtm', coverage: { reviewed: 1, complete: true } });
    },
    RUN_MS,
  );

  test(
    'keeps every finding, wherever it stands, and holds grave ones against the file',
    async () => {
      write({ 'a.js': 'export const a = 1;\n', 'run.js': EVAL });
      const common = { path: 'a.js', body: 'Because.', relation: 'outside_diff' };
      const findings = [
        { ...common, line: 1, severity: 'P1', title: 'A true one', evidence: 'const a = 1' },
        { ...common, line: 900, severity: 'P3', title: 'A place that is not there', evidence: '' },
        { ...common, line: 1, severity: 'P0', title: 'An invention', evidence: 'dropAllTables()' },
      ];
      world.says(() => reply([submit(findings)]));
      const output = await withModel();
      expect(output.verdict).toBe('feedback');
      expect(output.findings.map(({ title, relation }) => [title, relation])).toEqual([
        [expect.stringContaining('eval'), 'current_diff'],
        ['A true one', 'current_diff'],
        ['A place that is not there', 'current_diff'],
      ]);
      expect(output.unverified.map(({ title }) => title)).toEqual(['An invention']);
    },
    RUN_MS,
  );

  test(
    'shows its tools nothing outside of the folder, through no path and no link',
    async () => {
      writeFileSync(path.join(outer.path, 'outside.txt'), 'the secret of the neighbours\n');
      write({ 'a.js': 'export const a = 1;\n' });
      symlinkSync('../outside.txt', path.join(folder, 'link.txt'));
      symlinkSync('..', path.join(folder, 'up'));
      const paths = [
        '../outside.txt',
        path.join(outer.path, 'outside.txt'),
        'link.txt',
        'up/outside.txt',
        '.git/config',
      ];
      let heard: readonly string[] = [];
      world.says((exchange) => {
        heard = exchange.heard;
        if (exchange.turn > 0) return reply([submit()]);
        const reads = paths.map((at) => toolUse('Read', { path: at }));
        const searches = [toolUse('Grep', { pattern: 'neighbours' }), toolUse('Glob', { pattern: '**' })];
        return reply([...reads, ...searches, toolUse('Grep', { pattern: 'neighbours', path: '..' })]);
      });
      await withModel();
      expect(heard.length).toBeGreaterThanOrEqual(1 + paths.length + 3);
      expect(heard.join('\n')).not.toContain('the secret of the neighbours');
      expect(heard.join('\n')).not.toContain('outside.txt:1');
    },
    RUN_MS,
  );

  test(
    'is inconclusive when the turns run out, and keeps what the rules found',
    async () => {
      write({ 'run.js': EVAL });
      world.says(() => reply([toolUse('Glob', { pattern: '*' })]));
      const output = await withModel();
      expect(output).toMatchObject({ verdict: 'inconclusive', findings: [{ path: 'run.js' }] });
    },
    RUN_MS,
  );

  test(
    'tells the model that there is no diff, and how large the tree is',
    async () => {
      write({ 'a.js': 'export const a = 1;\nexport const b = 2;' });
      let said = '';
      world.says((exchange) => {
        said = `${exchange.system}\n${exchange.heard.join('\n')}`;
        return reply([submit()]);
      });
      await withModel();
      expect(said).toContain('You audit the tree of a code base; there is no diff.');
      expect(said).toContain('Size: 1 files, 2 lines.');
      expect(said).not.toMatch(/\d changed lines/);
    },
    RUN_MS,
  );
});

test(
  'the command line audits a folder and ends with its verdict',
  async () => {
    write({ 'run.js': EVAL });
    const { code, stdout, stderr } = await runCli([
      'review',
      '--mode',
      'codebase',
      '--path',
      folder,
      '--runner',
      'rules',
    ]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('fixpoint: auditing 1 files with rules\n'),
    });
    expect(stdout).toContain('F-001 High run.js:1');
  },
  RUN_MS,
);

test('nothing was asked of the model that no script foresaw', () => {
  expect(world.sim.violations).toEqual([]);
});
