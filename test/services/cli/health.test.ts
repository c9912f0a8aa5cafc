/** `fixpoint health`, as the health check of a container runs it. */
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import { freePort } from '../../support/redis.ts';
import { runCli } from './run-cli.ts';

const LIMIT = { timeout: 240_000 };

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const serve = async (answer: RequestListener): Promise<number> => {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  // The cast is safe because a listening TCP server has an AddressInfo.
  return (server.address() as AddressInfo).port;
};

const answers =
  (status: number, body: unknown): RequestListener =>
  (request, response) => {
    response.writeHead(request.url === '/readyz' ? status : 404).end(JSON.stringify(body));
  };

type Settings = { readonly ingress?: number; readonly guard?: number; readonly health?: boolean };

const writeSettings = async ({ ingress = 1, guard = 2000, health = true }: Settings): Promise<string> => {
  const folder = temporaryFolder();
  closers.push(() => folder.dispose());
  const file = path.join(folder.path, 'fixpoint.toml');
  const forge = ['[[forge]]', 'id = "one"', 'kind = "gitlab"', 'base_url = "https://gitlab.example.com"'];
  const rest = ['token_env = "ONE"', 'webhook_secret_envs = ["TWO"]', 'projects = ["a/b"]'];
  const ports = [`[ingress]\nport = ${ingress}`, `[health]\nenabled = ${health}\nport_base = ${guard}`];
  await writeFile(file, [...forge, ...rest, ...ports, ''].join('\n'));
  return file;
};

const ask = async (settings: Settings, service: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runCli(['health', ...service, '--config', await writeSettings(settings)], { env });

test('a service that is ready ends with 0, without any secret in the environment', LIMIT, async () => {
  const guard = await serve(answers(200, { ready: true, problems: [] }));
  expect(await ask({ guard }, ['guard'])).toEqual({ code: 0, stdout: 'guard: ready\n', stderr: '' });
});

test('a service that is not ready ends with 1, and says why in one line', LIMIT, async () => {
  const guard = await serve(answers(503, { ready: false, problems: ['Redis is not\n\u001B[2Jconnected', 'two'] }));
  const { code, stdout } = await ask({ guard }, ['guard']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^guard: Redis is not.*connected; two\n$/);
  expect(stdout).not.toContain('\u001B');
});

test('without a name every service that runs is asked, and one that is not ready decides', LIMIT, async () => {
  const ingress = await serve(answers(200, { ready: true, problems: [] }));
  const { code, stdout } = await ask({ ingress, guard: await freePort() }, []);
  expect(code).toBe(1);
  expect(stdout.split('\n').map((line) => line.split(':')[0])).toEqual([
    'ingress',
    'guard',
    'reviewer',
    'explorer',
    'poster',
    '',
  ]);
  expect(stdout).toMatch(/^ingress: ready\nguard: does not answer at http:\S+ \(ECONNREFUSED\)\n/);
});

test('the ingress is asked where FIXPOINT_LISTEN makes it listen', LIMIT, async () => {
  const port = await serve(answers(200, { ready: true, problems: [] }));
  expect(await ask({}, ['ingress'], { FIXPOINT_LISTEN: `0.0.0.0:${port}` })).toMatchObject({ code: 0 });
});

test.each([
  ['another program', answers(200, { hello: 'world' })],
  ['a service that contradicts itself', answers(503, { ready: true, problems: [] })],
])('%s is not taken for a service that is ready', LIMIT, async (_, listener) => {
  const guard = await serve(listener);
  const { code, stdout } = await ask({ guard }, ['guard']);
  expect([code, stdout]).toEqual([1, `guard: http://127.0.0.1:${guard} is not a service of Fixpoint\n`]);
});

test('a service that does not answer in time is not ready', LIMIT, async () => {
  const guard = await serve(() => {});
  const startedAt = performance.now();
  expect(await ask({ guard }, ['guard'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('does not answer'),
  });
  expect(performance.now() - startedAt).toBeGreaterThan(3_500);
});

test.each([
  ['an unknown service', ['gaurd'], {}, /there is no service "gaurd"; expected ingress, guard, /],
  ['a worker without an address', ['guard'], { health: false }, /health\.enabled is false/],
] as const)('%s ends with 2 in one sentence', LIMIT, async (_, service, settings, words) => {
  const { code, stderr } = await ask(settings, service);
  expect(code).toBe(2);
  expect(stderr).toMatch(words);
});
