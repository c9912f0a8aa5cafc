/** The package that `npm pack` makes, installed as a user does: in a scratch prefix, without what developers need. */
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { installedPackage, type Packed } from '../support/packed.ts';
import { startWaysStage } from '../support/ways-stage.ts';

const LIMIT_MS = 300_000;
const MAX_TARBALL_BYTES = 3 * 1024 * 1024;
const MAX_INSTALLED_BYTES = 200_000_000;
const EVAL = 'export const run = (words) => eval(words);\n';
const TOKEN_ENV = { gitlab: 'GITLAB_TOKEN', forgejo: 'FORGEJO_TOKEN', gitea: 'GITEA_TOKEN' } as const;

const top = mkdtempSync(path.join(tmpdir(), 'fixpoint-package-'));
const empty = path.join(top, 'empty');
let packed: Packed;
let packages = '';

beforeAll(async () => {
  mkdirSync(empty);
  packed = await installedPackage();
  packages = path.join(packed.folder, 'node_modules');
}, LIMIT_MS);
afterAll(() => rmSync(top, { recursive: true, force: true }));

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Nothing of this process's environment but the path, so that no token or address comes from it. */
const fixpoint = async (args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = empty): Promise<Ended> =>
  new Promise((resolve) => {
    const own = { PATH: process.env['PATH'], HOME: empty, ...env };
    const file = path.join(packed.prefix, 'bin/fixpoint');
    execFile(file, [...args], { cwd, env: own, timeout: LIMIT_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], { cwd, encoding: 'utf8' });

describe('the package', () => {
  it('is small, and installs on the oldest supported Node without a warning about it', () => {
    expect(packed.said).not.toContain('EBADENGINE');
    expect(statSync(packed.tarball).size).toBeLessThan(MAX_TARBALL_BYTES);
  });

  it('brings one ioredis, and nothing that only developers need', () => {
    const clients = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter((each) =>
      /(?:^|node_modules\/)ioredis$/.test(each),
    );
    expect(clients).toEqual(['ioredis']);
    const tools = ['vitest', 'typescript', 'esbuild', 'js-redis-server', 'playwright-core'];
    const optional = ['@bull-board/api', '@bull-board/ui', '@opentelemetry/sdk-node'];
    expect([...tools, ...optional].filter((name) => existsSync(path.join(packages, name)))).toEqual([]);
  });

  it('takes less than 200 MB on disk with all that it needs', () => {
    const files = readdirSync(packages, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
  });

  it('brings its manual', async () => {
    const own = path.dirname(packages);
    const { man } = JSON.parse(readFileSync(path.join(own, 'package.json'), 'utf8'));
    const manual = readFileSync(path.join(own, man), 'utf8');
    expect(manual).toMatch(/^\.TH FIXPOINT 1 /);
    expect(manual).toContain(String.raw`\-\-ca\-file`);
  });

  it('prints its version and its help', async () => {
    expect(await fixpoint(['--version'])).toMatchObject({ code: 0 });
    expect((await fixpoint(['review', '--help'])).stdout).toContain('--post');
  });

  it(
    'reviews a commit of a clone',
    async () => {
      const clone = path.join(top, 'clone');
      mkdirSync(clone);
      git(clone, 'init', '-q', '-b', 'main');
      for (const text of ['export const one = 1;\n', EVAL]) {
        writeFileSync(path.join(clone, 'run.js'), text);
        git(clone, 'add', '.');
        git(clone, 'commit', '-q', '-m', 'change');
      }
      const { code, stdout } = await fixpoint(['review', '--base', 'HEAD~1'], {}, clone);
      expect(code).toBe(1);
      expect(stdout).toContain('run.js:1');
    },
    LIMIT_MS,
  );
});

describe.each(FORGE_KINDS)('from an empty folder, with one command and one token, on %s', (kind) => {
  test(
    'a change request is reviewed, and posted once',
    async () => {
      const stage = await startWaysStage({ kind });
      try {
        const number = await stage.open('packed', { 'src/run.js': EVAL });
        const token = { [TOKEN_ENV[kind]]: stage.tokens.post };
        const printed = await fixpoint(['review', stage.urlOf(number)], token);
        stage.heard(printed.stdout + printed.stderr);
        expect(printed).toMatchObject({ code: 1 });
        expect(printed.stdout).toContain('src/run.js:1');
        expect(stage.markers(number)).toEqual([]);
        const secret = { FIXPOINT_MARKER_SECRET: stage.markerSecret };
        for (const run of ['first', 'again']) {
          const posted = await fixpoint(['review', stage.urlOf(number), '--post'], { ...token, ...secret });
          stage.heard(posted.stdout + posted.stderr);
          expect({ run, ...posted }).toMatchObject({ code: 1 });
          expect(stage.markers(number).filter((marker) => marker.kind === 'finding')).toHaveLength(1);
        }
      } finally {
        await stage.close();
      }
    },
    LIMIT_MS,
  );
});
