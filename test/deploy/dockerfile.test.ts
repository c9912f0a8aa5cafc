/**
 * Carries out the build stage of the Dockerfile in an empty folder: its COPY lines with the files that git knows and
 * the ignore file lets in, its RUN lines as they stand. There is no Docker here; what it would do is this.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { PROJECT_ROOT, trackedFiles } from '../support/tracked-files.ts';
import { expand, listOf, pairsOf, parseDockerfile } from './dockerfile.ts';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const TEXT = read('deploy/Dockerfile');
const stages = parseDockerfile(TEXT);
const [build, image] = stages;

const ignoreLines = read('deploy/Dockerfile.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const allowed = ignoreLines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const isBelow = (path: string, top: string): boolean => path === top || path.startsWith(`${top}/`);
const context = trackedFiles().filter((path) => allowed.some((top) => isBelow(path, top)));

const services = Object.entries<{ command: string[] }>(parse(read('docker-compose.yml'), { merge: true }).services)
  .filter(([name]) => name !== 'redis' && name !== 'doctor')
  .map(([name, { command }]): [string, string] => [name, command[1] ?? '']);

/** Some that production code could not need either through another package. */
const DEVELOPMENT_ONLY = ['vitest', 'typescript', 'oxlint', '@biomejs/biome', 'fast-check'];

function copyIn(text: string, app: string): void {
  const parts = text.split(' ');
  const target = parts.at(-1) ?? '';
  for (const source of parts.slice(0, -1)) {
    const files = context.filter((path) => isBelow(path, source));
    expect(files, `COPY ${source} finds nothing in the build context`).not.toEqual([]);
    for (const file of files) {
      const to = target.endsWith('/') ? join(app, target, file) : join(app, target, file.slice(source.length));
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(PROJECT_ROOT, file), to);
    }
  }
}

function runStep(command: string, app: string): void {
  const env = { PATH: process.env['PATH'], HOME: app, npm_config_cache: npmCache(), npm_config_prefer_offline: 'true' };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: app, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`RUN ${command} failed:\n${stdout}${stderr}`);
}

const npmCache = (): string => execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();

test('the build context is an allow list, and holds no secret, test or local state', () => {
  expect(ignoreLines[0]).toBe('*');
  expect(context.filter((path) => /(?:^|\/)(?:\.env|test|dist|node_modules)|fixpoint\.toml$/.test(path))).toEqual([]);
});

test('the file is valid, and a slip in it would be noticed', () => {
  const mistakes = (text: string) => validate(text).map(({ message }) => message);
  expect(mistakes(TEXT)).toEqual([]);
  const slip = TEXT.replace('--interval=', '--intervall=').replace('EXPOSE 8080', 'EXPOSE eighty');
  expect(mistakes(slip)).toEqual(['Invalid containerPort: eighty', 'Unknown flag: intervall']);
});

test('an argument has the value that the reference of Dockerfiles describes', () => {
  const rows = ['$A', '${A}', '${A:-b}', '${A:+b}', 'x${A:+@}${A}'];
  expect(rows.map((row) => expand(row, { A: 'a' }))).toEqual(['a', 'a', 'a', 'b', 'x@a']);
  expect(rows.map((row) => expand(row, {}))).toEqual(['', '', 'b', '', 'x']);
});

const BASE = /^node:24\.\d+\.\d+-bookworm-slim$/;
const DIGEST = `sha256:${'0a'.repeat(32)}`;

test('both stages begin with one exact release of the base, by its digest when that is given', () => {
  const [one, two] = stages.map((stage) => stage.image);
  expect(one).toMatch(BASE);
  expect(two).toBe(one);
  expect(parseDockerfile(TEXT, { BASE_DIGEST: '' }).map((stage) => stage.image)).toEqual([one, one]);
  const pinned = parseDockerfile(TEXT, { BASE_DIGEST: DIGEST });
  expect(pinned.map((stage) => stage.image)).toEqual([`${one}@${DIGEST}`, `${one}@${DIGEST}`]);
  expect(pairsOf(pinned[1], 'LABEL')).toMatchObject({
    'org.opencontainers.image.base.name': `docker.io/library/${one}`,
    'org.opencontainers.image.base.digest': DIGEST,
  });
});

test('the labels say what the image is, and which version when the release gives it', () => {
  const { description, license } = JSON.parse(read('package.json'));
  const given = {
    VERSION: '1.2.3',
    REVISION: 'a'.repeat(40),
    CREATED: '2026-01-02T03:04:05Z',
    SOURCE: 'https://git.example.com/fixpoint',
  };
  const labels = (values: typeof given | {}) =>
    Object.fromEntries(
      Object.entries(pairsOf(parseDockerfile(TEXT, values).at(-1), 'LABEL')).map(([name, value]) => [
        name.replace('org.opencontainers.image.', ''),
        value,
      ]),
    );
  expect(labels(given)).toMatchObject({
    title: 'Fixpoint',
    description: expect.stringMatching(/^Self-hosted AI code review for GitLab/),
    licenses: license,
    source: given.SOURCE,
    version: '1.2.3',
    revision: given.REVISION,
    created: given.CREATED,
  });
  expect(description).toMatch(/^Self-hosted AI code review/);
  expect(labels({})).toMatchObject({ source: '', version: '', revision: '', created: '', 'base.digest': '' });
});

test('the image runs as an ordinary user under an init, and gets its files from the build stage only', () => {
  const lines = (image?.instructions ?? []).map(({ name, text }) => `${name} ${text}`);
  expect(lines.findLast((line) => line.startsWith('USER'))).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
  expect(listOf(image, 'ENTRYPOINT')).toEqual(['/usr/bin/tini', '--']);
  expect(listOf(image, 'CMD')).toEqual(['fixpoint', 'up']);
  expect(listOf(image, 'HEALTHCHECK')).toEqual(['fixpoint', 'health']);
  expect(lines.filter((line) => line.startsWith('COPY') && !line.startsWith('COPY --from=build /app/'))).toEqual([]);
  expect(stages.flatMap((stage) => stage.instructions).filter(({ name }) => name === 'ADD')).toEqual([]);
});

test('the command fixpoint is on the path, and listens where a container is reached', () => {
  expect(image?.instructions.map(({ text }) => text).join('\n')).toContain(
    'ln -s /app/dist/services/cli/main.js /usr/local/bin/fixpoint',
  );
  expect(pairsOf(image, 'ENV')).toEqual({
    NODE_ENV: 'production',
    FIXPOINT_LISTEN: '0.0.0.0:8080',
    FIXPOINT_CONSOLE_LISTEN: '0.0.0.0:8090',
  });
});

// It installs and builds everything once more: `.ci/run` has done the same.
describe.runIf(process.env['FIXPOINT_DEEP'] === '1')('the build stage in an empty folder', () => {
  let app = '';

  beforeAll(() => {
    app = mkdtempSync(join(tmpdir(), 'fixpoint-image-'));
    for (const { name, text } of build?.instructions ?? []) {
      if (name === 'COPY') copyIn(text, app);
      if (name === 'RUN') runStep(text, app);
    }
  }, 300_000);

  afterAll(() => rmSync(app, { recursive: true, force: true }));

  test('leaves everything that the image copies', () => {
    const sources = (image?.instructions ?? [])
      .filter(({ name }) => name === 'COPY')
      .map(({ text }) => /\/app\/(\S+)/.exec(text)?.[1] ?? '');
    expect(sources).toEqual(['package.json', 'node_modules', 'dist']);
    expect(sources.filter((source) => !existsSync(join(app, source)))).toEqual([]);
  });

  test('leaves no development package', () => {
    const { devDependencies, dependencies } = JSON.parse(read('package.json'));
    const isInstalled = (name: string): boolean => existsSync(join(app, 'node_modules', name));
    expect(Object.keys(dependencies).filter((name) => !isInstalled(name))).toEqual([]);
    expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(DEVELOPMENT_ONLY));
    expect(DEVELOPMENT_ONLY.filter(isInstalled)).toEqual([]);
  });

  test('leaves a command that can be run', () => {
    expect(statSync(join(app, 'dist/services/cli/main.js')).mode & 0o111).toBe(0o111);
  });

  test.each(services)('%s starts from it, and without a configuration says so and exits with 2', (_, main) => {
    const env = { PATH: process.env['PATH'], FIXPOINT_CONFIG: '/nowhere/fixpoint.toml', NODE_ENV: 'production' };
    const { status, stderr, stdout } = spawnSync(process.execPath, [main], {
      cwd: app,
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect({ status, output: stderr + stdout }).toEqual({
      status: 2,
      output: expect.stringContaining('/nowhere/fixpoint.toml: cannot be read (ENOENT)'),
    });
  });
});
