/** `fixpoint up` as an operator runs it: five processes, each with its own secrets, that live and leave together. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readAddress } from '../../../shared/runtime/embedded-redis.ts';
import { SERVICE_NEEDS, type ServiceName } from '../../../shared/config/service-needs.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { type ForgejoSim, startForgejoSim } from '../../sim/forgejo/start.ts';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import { builtScript } from '../../support/built.ts';
import { type FleetSettings, makeFleetSettings } from '../../support/fleet-settings.ts';
import { freePort, startRedis, type TestRedis } from '../../support/redis.ts';
import { eventually } from '../../support/story-world.ts';

const START_MS = 240_000;
const LEAVE_MS = 10_000;

// The names are the keys of the object. The author and the console are off unless the operator switches them on.
const SERVICES = (Object.keys(SERVICE_NEEDS) as ServiceName[]).filter(
  (name) => name !== 'author' && name !== 'console',
);

let folder: ReturnType<typeof temporaryFolder>;
let script: string;
let redis: TestRedis;
let sim: ForgejoSim;
let settings: FleetSettings;
let running: ChildProcess | null = null;

beforeAll(async () => {
  folder = temporaryFolder();
  [script, redis, sim] = await Promise.all([
    builtScript('services/cli/main.js'),
    startRedis(),
    startForgejoSim({ dataDir: path.join(folder.path, 'forge') }),
  ]);
  const tokens = Object.fromEntries(['read', 'post', 'git'].map((login) => [login, sim.createUser({ login }).token]));
  settings = makeFleetSettings({
    forgeUrl: sim.url,
    tokens: { read: tokens['read'] ?? '', post: tokens['post'] ?? '', git: tokens['git'] ?? '' },
    projects: ['shop-team/shop'],
    dataDir: path.join(folder.path, 'data'),
    redis: { url: redis.url },
  });
}, START_MS);

afterEach(async () => {
  if (running !== null && running.exitCode === null && running.signalCode === null) {
    running.kill('SIGTERM');
    await once(running, 'exit');
  }
});

afterAll(async () => {
  await sim?.close();
  await redis?.stop();
  folder?.dispose();
});

const secretsOf = (service: ServiceName): Readonly<Record<string, string>> => settings.envOf(service);

type Up = { readonly ownRedis: boolean };

const startUp = async ({ ownRedis }: Up = { ownRedis: false }) => {
  const configFile = path.join(folder.path, 'fixpoint.toml');
  const port = await freePort();
  await writeFile(configFile, settings.toml(port));
  const all: Readonly<Record<string, string>> = Object.assign({}, ...SERVICES.map(secretsOf));
  // As setup leaves them: in a file beside the configuration. Redis is set in the environment.
  const { REDIS_URL: redisUrl = '', ...others } = all;
  await writeFile(
    path.join(folder.path, '.env'),
    Object.entries(others)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const child = spawn(process.execPath, [script, 'up', '--config', configFile], {
    env: {
      PATH: process.env['PATH'] ?? '',
      REDIS_URL: ownRedis ? '' : redisUrl,
      UNRELATED_VARIABLE: 'of the operator',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running = child;
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const up = (): number => lines.filter((line) => /"(?:service is running|ingress listens)"/.test(line)).length;
  await eventually('five running services', () => up() === SERVICES.length || child.exitCode !== null);
  expect(up()).toBe(SERVICES.length);
  return { child, port, errors, services: await childrenOf(child.pid ?? -1) };
};

type Service = { readonly pid: number; readonly name: string; readonly env: Readonly<Record<string, string>> };

const readList = async (file: string): Promise<readonly string[]> =>
  (await readFile(file, 'utf8')).split('\0').filter((part) => part !== '');

const childrenOf = async (parent: number): Promise<readonly Service[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => describe(pid, parent)));
  return found.filter((each) => each !== null);
};

const describe = async (pid: number, parent: number): Promise<Service | null> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    if (Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) !== parent) return null;
    const [, script = ''] = await readList(`/proc/${pid}/cmdline`);
    const env = (await readList(`/proc/${pid}/environ`)).map((pair) => pair.split(/=(.*)/s).slice(0, 2));
    return { pid, name: path.basename(path.dirname(script)), env: Object.fromEntries(env) };
  } catch {
    // It ended while we looked.
    return null;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const gone = async (services: readonly Service[]): Promise<void> =>
  eventually('no service left', () => services.every(({ pid }) => !isAlive(pid)));

test(
  'every service has its own secrets and no others, and all leave within ten seconds when asked',
  async () => {
    const { child, port, services } = await startUp();
    expect(services.map(({ name }) => name).toSorted()).toEqual(SERVICES.toSorted());
    for (const { name, env } of services) {
      const { PATH: _path, ...own } = env;
      expect({ name, own }).toEqual({ name, own: secretsOf(SERVICES.find((each) => each === name) ?? 'guard') });
    }
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    const startedAt = performance.now();
    child.kill('SIGTERM');
    const [code, signal] = await once(child, 'exit');
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(LEAVE_MS);
    await gone(services);
  },
  START_MS,
);

const serviceNamed = (services: readonly Service[], name: string): Service => {
  const found = services.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

const healthOf = async (port: number): Promise<number> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );

test(
  'F-F8: a service that dies is named and started again, while the others run on',
  async () => {
    const { child, services, errors } = await startUp();
    const reviewer = serviceNamed(services, 'reviewer');
    process.kill(reviewer.pid, 'SIGKILL');
    const words = 'fixpoint: the service reviewer was killed by SIGKILL; it is restarted in 1 s';
    await eventually('the words about it', () => errors.includes(words));
    await eventually('another reviewer', async () =>
      (await childrenOf(child.pid ?? -1)).some(({ name, pid }) => name === 'reviewer' && pid !== reviewer.pid),
    );
    const now = await childrenOf(child.pid ?? -1);
    const others = (all: readonly Service[]): ReadonlySet<number> =>
      new Set(all.filter(({ name }) => name !== 'reviewer').map(({ pid }) => pid));
    expect(others(now)).toEqual(others(services));
    expect(serviceNamed(now, 'reviewer').env).toEqual(reviewer.env);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await gone(now);
  },
  START_MS,
);

test(
  'what a person needs next is said once everything is ready',
  async () => {
    const { port, errors } = await startUp({ ownRedis: true });
    await eventually('the announcement', () => errors.some((line) => line.startsWith('fixpoint: next: ')));
    expect(errors).toContain(`fixpoint: webhooks of "sim": http://127.0.0.1:${port}/webhooks/sim`);
    expect(errors).toContainEqual(
      expect.stringMatching(
        /^fixpoint: Redis: redis:\/\/127\.0\.0\.1:\d+, started here, with its data in \/.*\/data\/redis;/,
      ),
    );
    expect(await healthOf(port)).toBe(200);
    expect(errors.filter((line) => !line.startsWith('fixpoint: '))).toEqual([]);
  },
  START_MS,
);

test(
  'F-F2: nothing outlives one that was killed, and the next one starts at once',
  async () => {
    const killed = await startUp({ ownRedis: true });
    expect(killed.services.map(({ name }) => name)).toHaveLength(SERVICES.length + 1);
    killed.child.kill('SIGKILL');
    const next = await startUp({ ownRedis: true });
    await gone(killed.services);
    next.child.kill('SIGTERM');
    expect(await once(next.child, 'exit')).toEqual([0, null]);
    await gone(next.services);
  },
  START_MS,
);

test(
  'F-F8: a Redis of its own that dies is named and started again where it was, with its data',
  async () => {
    const { child, port, services, errors } = await startUp({ ownRedis: true });
    await eventually('the announcement', () => errors.some((line) => line.startsWith('fixpoint: next: ')));
    const url = /redis:\/\/[\d.:]+/.exec(errors.join('\n'))?.[0] ?? '';
    const before = connectRedis(url, 'worker');
    await before.set('kept', 'yes');
    before.disconnect();
    process.kill(services.find(({ name }) => !SERVICES.some((each) => each === name))?.pid ?? 0, 'SIGKILL');
    const words = 'fixpoint: its Redis was killed by SIGKILL; it is restarted in 1 s';
    await eventually('the words about it', () => errors.includes(words));
    await eventually('services that have it back', async () => (await healthOf(port)) === 200);
    const after = connectRedis(url, 'worker');
    await eventually('a Redis at the same address', async () => (await after.get('kept').catch(() => null)) === 'yes');
    after.disconnect();
    expect(readAddress(path.join(folder.path, 'data', 'redis'))).toBe(url);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await gone(services);
  },
  START_MS,
);

test.skipIf(!existsSync('/usr/bin/script'))(
  'the log is readable on a terminal, where a pipe gets JSON',
  async () => {
    const configFile = path.join(folder.path, 'fixpoint.toml');
    await writeFile(configFile, settings.toml(await freePort()));
    const command = `exec '${process.execPath}' '${script}' up --config '${configFile}'`;
    const env = { PATH: process.env['PATH'] ?? '', ...Object.assign({}, ...SERVICES.map(secretsOf)) };
    const child = spawn('/usr/bin/script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running = child;
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
    });
    await eventually('the announcement', () => shown.includes('fixpoint: next: '));
    const lines = stripVTControlCharacters(shown).split(/\r?\n/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^\d\d:\d\d:\d\d ingress {2}info {2}ingress listens host=127\.0\.0\.1 port=\d+$/),
    );
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([]);
    expect(shown).toContain('\u001B[');
    // Ctrl-C.
    child.stdin.write('\u0003');
    expect((await once(child, 'exit'))[0]).toBe(0);
  },
  START_MS,
);

test(
  'nothing starts when a secret is missing, and the exit code is 2',
  async () => {
    // Beside this one is no file of variables.
    const configFile = path.join(await mkdtemp(path.join(folder.path, 'bare-')), 'fixpoint.toml');
    await writeFile(configFile, settings.toml(0));
    const child = spawn(process.execPath, [script, 'up', '--config', configFile], {
      env: { PATH: process.env['PATH'] ?? '', ...secretsOf('ingress') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(String(chunk)));
    await once(child, 'close');
    expect(child.exitCode).toBe(2);
    expect(said.join('')).toMatch(/FIXPOINT_MARKER_SECRET is not set/);
    expect(said.join('')).toMatch(/SIM_POST_TOKEN is not set/);
  },
  START_MS,
);
