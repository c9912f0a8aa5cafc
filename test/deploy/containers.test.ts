/**
 * What `docker-compose.yml` and the Dockerfile make of the package, without Docker: the same commands and health checks as
 * plain processes, in the folder of the installed package, with the variables that the containers would get. The forge is
 * a GitLab, for which nothing in the compose file is changed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { handsOn, startSim } from '../support/fleet-forge.ts';
import { installedPackage, type Packed } from '../support/packed.ts';
import { freePort } from '../support/redis.ts';
import { eventually } from '../support/story-world.ts';
import { PROJECT_ROOT } from '../support/tracked-files.ts';
import { listOf, pairsOf, parseDockerfile } from './dockerfile.ts';

const LIMIT_MS = 300_000;
const SERVICES = ['ingress', 'guard', 'reviewer', 'explorer', 'poster'] as const;

type Service = {
  readonly command: string[];
  readonly env_file: string;
  readonly healthcheck: { readonly test: string[] };
};

const compose: { services: Readonly<Record<string, Service>> } = parse(
  await readFile(path.join(PROJECT_ROOT, 'docker-compose.yml'), 'utf8'),
  { merge: true },
);
const image = parseDockerfile(await readFile(path.join(PROJECT_ROOT, 'deploy/Dockerfile'), 'utf8')).at(-1);

const top = await mkdtemp(path.join(tmpdir(), 'fixpoint-containers-'));
const running: ChildProcess[] = [];
let packed: Packed;
let sim: Awaited<ReturnType<typeof startSim<'gitlab'>>>;
let ports: { readonly redis: number; readonly ingress: number };
let secrets: Readonly<Record<string, string>>;
let repo = '';

type Ended = { readonly code: number; readonly output: string };

const exec = async (command: readonly string[], options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) =>
  new Promise<Ended>((resolve) => {
    const [program = '', ...args] = command;
    execFile(program, args, { ...options, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr }),
    );
  });

/** Names of this test in the place of those that Docker makes: the host `redis`, folders, and the published port. */
const inPlace = (text: string): string =>
  text
    .replace('@redis:6379', `@127.0.0.1:${ports.redis}`)
    .replaceAll('/run/redis', path.join(top, 'run'))
    .replace('--dir /data', `--port ${ports.redis} --bind 127.0.0.1 --dir ${path.join(top, 'data')}`)
    .replace('redis-cli ', `redis-cli -p ${ports.redis} `)
    .replace(/:8080$/, `:${ports.ingress}`)
    .replaceAll('$$', '$');

const containerEnv = async (name: string): Promise<NodeJS.ProcessEnv> => {
  const file = parseEnv(await readFile(path.join(top, 'host', compose.services[name]?.env_file ?? ''), 'utf8'));
  const own = name === 'redis' ? file : { ...pairsOf(image, 'ENV'), ...file };
  const entries = Object.entries(own).map(([key, value]) => [key, inPlace(value ?? '')]);
  return { PATH: `${packed.prefix}/bin:${process.env['PATH'] ?? ''}`, HOME: top, ...Object.fromEntries(entries) };
};

/** The package is what the image has in /app, and the configuration is mounted there. */
const inContainer = async (name: string) => ({
  cwd: name === 'redis' ? top : packed.folder,
  env: await containerEnv(name),
});

const start = async (name: string): Promise<void> => {
  const [program = '', ...args] = (compose.services[name]?.command ?? []).map(inPlace);
  running.push(spawn(program, args, { ...(await inContainer(name)), stdio: 'ignore' }));
};

const health = async (name: string): Promise<Ended> => {
  const [kind, ...check] = compose.services[name]?.healthcheck.test ?? [];
  const command = kind === 'CMD-SHELL' ? ['sh', '-c', inPlace(check[0] ?? '')] : check;
  return exec(command, await inContainer(name));
};

const isHealthy = async (name: string): Promise<boolean> => (await health(name)).code === 0;

beforeAll(async () => {
  await chmod(top, 0o711);
  packed = await installedPackage();
  ports = { redis: await freePort(), ingress: await freePort() };
  for (const folder of ['host', 'run', 'data', 'forge']) await mkdir(path.join(top, folder));
  sim = await startSim('gitlab', { dataDir: path.join(top, 'forge') });
  const hands = handsOn(sim);
  const made = await hands.furnish({ owner: 'shop-team', author: 'author', bot: 'fixpoint', names: ['shop'] });
  repo = made.repos[0] ?? '';
  await hands.commit({
    repo,
    branch: 'main',
    files: { 'README.md': '# Shop\n' },
    message: 'Begin\n',
    author: 'shop-team',
  });
  const random = (): string => randomBytes(32).toString('hex');
  secrets = {
    LAB_TOKEN: made.tokens.post,
    LAB_WEBHOOK_SECRET: random(),
    FIXPOINT_MARKER_SECRET: random(),
    REDIS_PASSWORD: random(),
  };
  const toml = [
    ['[[forge]]', 'id = "lab"', 'kind = "gitlab"', `base_url = "${sim.url}"`, 'token_env = "LAB_TOKEN"'],
    ['webhook_secret_envs = ["LAB_WEBHOOK_SECRET"]', `projects = ["${repo}"]`, '[ingress]', 'host = "127.0.0.1"'],
    ['[health]', `port_base = ${20_000 + Math.floor(Math.random() * 10_000)}`, '[gate]', 'ci_grace_s = 0', ''],
  ];
  const text = toml.flat().join('\n');
  await writeFile(path.join(top, 'host/fixpoint.toml'), text);
  await writeFile(path.join(packed.folder, 'fixpoint.toml'), text);
  const env = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(path.join(top, 'host/.env'), env.join(''), { mode: 0o600 });
}, LIMIT_MS);

afterAll(async () => {
  const left = running.filter((child) => child.exitCode === null && child.signalCode === null);
  const ended = left.map(async (child) => once(child, 'exit'));
  for (const child of left) child.kill('SIGTERM');
  await Promise.all(ended);
  await rm(path.join(packed.folder, 'fixpoint.toml'), { force: true });
  await rm(path.join(packed.folder, '.fixpoint-data'), { recursive: true, force: true });
  await sim?.close();
  await rm(top, { recursive: true, force: true, maxRetries: 3 });
}, LIMIT_MS);

describe('the containers of a team with a GitLab', () => {
  const envFiles = async (...args: readonly string[]): Promise<Ended> =>
    exec([`${packed.prefix}/bin/fixpoint`, 'env-files', ...args], {
      cwd: path.join(top, 'host'),
      env: { PATH: process.env['PATH'], HOME: top },
    });

  it(
    'get their files of variables from one command, which changes nothing the second time',
    async () => {
      expect(await envFiles('--check')).toMatchObject({
        code: 1,
        output: expect.stringMatching(/guard\.env: differs/),
      });
      expect(await envFiles()).toMatchObject({ code: 0, output: expect.stringMatching(/doctor\.env: written/) });
      expect(await envFiles()).toEqual({ code: 0, output: '.env.d is up to date\n' });
      expect(await envFiles('--check')).toMatchObject({ code: 0 });
      const guard = parseEnv(await readFile(path.join(top, 'host/.env.d/guard.env'), 'utf8'));
      expect(Object.keys(guard).toSorted()).toEqual(['FIXPOINT_MARKER_SECRET', 'LAB_TOKEN', 'REDIS_URL']);
    },
    LIMIT_MS,
  );

  it(
    'are not healthy before they run, and all are healthy once they do',
    async () => {
      for (const name of ['ingress', 'guard']) expect(await health(name)).toMatchObject({ code: 1 });
      await start('redis');
      await eventually('a healthy Redis', async () => isHealthy('redis'));
      for (const name of SERVICES) await start(name);
      for (const name of SERVICES) await eventually(`a healthy ${name}`, async () => isHealthy(name));
    },
    LIMIT_MS,
  );

  /** An address of this machine at which a server on 127.0.0.1 is not reached, like that of a container. */
  const FROM_OUTSIDE = '127.0.0.2';

  it(
    'take a webhook from outside, although the file names loopback, and review',
    async () => {
      const hands = handsOn(sim);
      const url = `http://${FROM_OUTSIDE}:${ports.ingress}/webhooks/lab`;
      hands.addWebhook({ repo, url, secret: secrets['LAB_WEBHOOK_SECRET'] ?? '' });
      const files = { 'src/run.js': 'export const run = (words) => eval(words);\n' };
      await hands.commit({ repo, branch: 'topic', files, message: 'Run\n', author: 'author' });
      const number = await hands.open({ repo, branch: 'topic', title: 'Run', author: 'author' });
      await eventually('a verdict', () => hands.look({ repo, number }).headStatuses['fixpoint'] === 'failed');
      expect(hands.look({ repo, number }).inline).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'F-F7: doctor finds no fault from its container',
    async () => {
      expect(listOf(image, 'ENTRYPOINT').at(-1)).toBe('--');
      const { code, output } = await exec(compose.services['doctor']?.command ?? [], await inContainer('doctor'));
      expect(output).toMatch(/^ok .*redis: version[^]*the bot is fixpoint[^]*\n0 failures/m);
      expect(code).toBe(0);
      for (const secret of Object.values(secrets)) expect(output).not.toContain(secret);
    },
    LIMIT_MS,
  );

  it(
    'are unhealthy when Redis is gone',
    async () => {
      running[0]?.kill('SIGKILL');
      await eventually('an unhealthy guard', async () => (await health('guard')).code === 1);
      expect((await health('guard')).output).toMatch(/^guard: Redis /);
    },
    LIMIT_MS,
  );
});
