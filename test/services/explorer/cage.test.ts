/** T12: what a service that needs a cage does without one. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usually } from '../../support/deep.ts';
import { findLeaks } from '../../support/leaks.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { findTestCage, openFolder } from '../../support/cage.ts';
import { freePort, startRedis, type TestRedis } from '../../support/redis.ts';

const MAIN = fileURLToPath(new URL('../../../services/explorer/main.ts', import.meta.url));
const { cage, dispose, why } = await findTestCage();
const { path: folder, dispose: disposeFolder } = openFolder();

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
  dispose();
  disposeFolder();
});

/** `PATH` without bubblewrap. */
const emptyPath = (): string => {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  return join(folder, 'bin');
};

type Wish = { readonly required: boolean; readonly path: string; readonly backend?: string };

const launchOf = async ({ required, path, backend = 'bubblewrap' }: Wish) => {
  const port = (await freePort()) - 2;
  const configFile = join(folder, `${randomBytes(4).toString('hex')}.toml`);
  const forge = 'id = "sim"\nkind = "forgejo"\nbase_url = "http://127.0.0.1:9"\ntoken_env = "TOKEN"\nprojects = ["*"]';
  const sandbox = `[sandbox]\nrequired = ${required}\nbackend = "${backend}"`;
  const settings = [`data_dir = "${folder}/data"`, `[[forge]]\n${forge}\nwebhook_secret_envs = ["HOOK"]`];
  writeFileSync(configFile, [...settings, sandbox, `[health]\nport_base = ${port}`].join('\n'));
  const env = {
    PATH: path,
    NODE_OPTIONS: '--import tsx',
    REDIS_URL: redis.url,
    TOKEN: randomBytes(16).toString('hex'),
    ANTHROPIC_API_KEY: randomBytes(16).toString('hex'),
  };
  const logFile = `${configFile}.log`;
  return { launch: { name: 'explorer' as const, script: MAIN, configFile, env, logFile }, port: port + 2 };
};

const end = async (service: ServiceProcess, env: Readonly<Record<string, string>>): Promise<void> => {
  await service.terminate();
  const secrets = [env['TOKEN'], env['ANTHROPIC_API_KEY']].filter((one) => one !== undefined);
  expect(secrets).toHaveLength(2);
  expect(findLeaks([{ where: 'output', text: service.output.join('\n') }], secrets)).toEqual([]);
};

const readyAt = async (port: number): Promise<unknown> => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: response.status, body: await response.json() };
};

const WITHOUT =
  'Bash, validation commands and analyzers are disabled, and the service itself opens files for Read, Glob and Grep';

describe('T12: a service without a cage', () => {
  it('does not start where one is required: it says why and ends with 2', async () => {
    const { launch } = await launchOf({ required: true, path: emptyPath() });
    const child = spawn(process.execPath, [launch.script, '--config', launch.configFile], { env: launch.env });
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => void said.push(chunk));
    const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
    expect([code, Buffer.concat(said).toString('utf8')]).toEqual([
      2,
      'sandbox.required is set but no cage is available: bubblewrap (bwrap) is not installed\n',
    ]);
  });

  it.each(
    usually(
      ['there is none', 'bubblewrap', `no cage is available (bubblewrap (bwrap) is not installed): ${WITHOUT}`],
      ['the operator wants none', 'none', `sandbox.backend is "none": ${WITHOUT}`],
    ),
  )('works on where none is required and %s, and readyz says what is off', async (_, backend, notice) => {
    const { launch, port } = await launchOf({ required: false, path: emptyPath(), backend });
    const service = await startServiceProcess(launch);
    expect(await readyAt(port)).toEqual({ status: 200, body: { ready: true, problems: [], notices: [notice] } });
    const loud = service.records.filter(({ msg }) => msg === `no cage is available: ${WITHOUT}`);
    expect(loud.map(({ level }) => level)).toEqual(backend === 'none' ? [] : ['warn']);
    await end(service, launch.env);
  });
});

describe.skipIf(cage === null)(`a service with a cage${why}`, () => {
  it('says nothing of what is off, and that it holds', async () => {
    const { launch, port } = await launchOf({ required: true, path: process.env['PATH'] ?? '' });
    const service = await startServiceProcess(launch);
    expect(await readyAt(port)).toEqual({ status: 200, body: { ready: true, problems: [] } });
    expect(service.records.map(({ msg }) => msg)).toContain('cage is ready');
    await end(service, launch.env);
  });
});
