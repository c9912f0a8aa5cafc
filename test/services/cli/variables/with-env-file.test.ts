/** `.env` beside the configuration: what `fixpoint setup` has written is read by the commands that follow it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEnvFile, withEnvFile } from '../../../../services/cli/variables/with-env-file.ts';
import { withOwnRedis } from '../../../../services/cli/redis/own-redis.ts';
import type { Environment } from '../../../../shared/config/secrets.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { runCli } from '../run-cli.ts';

const FORGE = `
[[forge]]
id = "main"
kind = "forgejo"
base_url = "http://127.0.0.1:1"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["a/b"]
`;

let folder = temporaryFolder();
let config = '';
let file = '';
beforeEach(() => {
  folder = temporaryFolder();
  config = path.join(folder.path, 'fixpoint.toml');
  file = path.join(folder.path, '.env');
  writeFileSync(config, FORGE);
});
afterEach(() => folder.dispose());

const read = (env: Record<string, string> = {}) => readEnvFile({ path: config, env, needs: [] });

test('adds what the configuration names and the environment does not set', () => {
  writeFileSync(file, 'TOKEN=from-the-file\nexport HOOK="quoted"  # a comment\nREDIS_URL=\nANTHROPIC_API_KEY=key\n');
  const { env, path: from, overridden } = read({ HOME: '/home', HOOK: '' });
  expect(env).toEqual({ HOME: '/home', TOKEN: 'from-the-file', HOOK: 'quoted', ANTHROPIC_API_KEY: 'key' });
  expect({ from, overridden }).toEqual({ from: file, overridden: [] });
});

test('the environment counts, and a difference is named without its value', () => {
  writeFileSync(file, 'TOKEN=old\nHOOK=same\n');
  expect(read({ TOKEN: 'new', HOOK: 'same' })).toEqual({
    env: { TOKEN: 'new', HOOK: 'same' },
    path: null,
    overridden: ['TOKEN'],
  });
});

test('adds where services listen and what they trace', () => {
  writeFileSync(
    file,
    'FIXPOINT_LISTEN=0.0.0.0:81\nFIXPOINT_CONSOLE_LISTEN=[::1]:82\nOTEL_TRACES_EXPORTER=otlp\nFIXPOINT_X=1\n',
  );
  const { env, path: from } = read({ FIXPOINT_LISTEN: '127.0.0.1:83' });
  expect({ env, from }).toEqual({
    env: { FIXPOINT_LISTEN: '127.0.0.1:83', FIXPOINT_CONSOLE_LISTEN: '[::1]:82', OTEL_TRACES_EXPORTER: 'otlp' },
    from: file,
  });
});

test('variables that the configuration does not name stay out', () => {
  writeFileSync(file, 'PATH=/evil\nNODE_OPTIONS=--require=/evil.js\nLD_PRELOAD=/evil.so\nHTTPS_PROXY=http://evil\n');
  expect(read({ PATH: '/bin' })).toEqual({ env: { PATH: '/bin' }, path: null, overridden: [] });
});

test.each([
  ['no file', () => rmSync(file, { force: true })],
  ['an invalid configuration, which its command reports', () => writeFileSync(config, 'data_dir = 3\n')],
  ['no configuration', () => rmSync(config)],
])('%s changes nothing', (_name, arrange) => {
  writeFileSync(file, 'TOKEN=x\n');
  arrange();
  expect(read({ A: 'b' })).toEqual({ env: { A: 'b' }, path: null, overridden: [] });
});

test('without a file the configuration is not loaded', () => {
  const source = {
    path: config,
    env: { A: 'b' },
    get needs(): never {
      throw new Error('the configuration is loaded');
    },
  };
  expect(readEnvFile(source)).toEqual({ env: { A: 'b' }, path: null, overridden: [] });
  writeFileSync(file, 'TOKEN=x\n');
  expect(() => readEnvFile(source)).toThrow('the configuration is loaded');
});

test('a file that cannot be read is an error with its name', () => {
  mkdirSync(file);
  expect(() => read()).toThrow(/\.env cannot be read: /);
});

test('a configuration that is given as text has no file beside it', () => {
  const source = { text: FORGE, folder: folder.path, env: { A: 'b' }, needs: [] };
  writeFileSync(file, 'TOKEN=x\n');
  expect(withEnvFile(source)).toEqual(source);
});

test('commands that use Redis read its address there', () => {
  writeFileSync(file, 'REDIS_URL=redis://127.0.0.1:2\n');
  const env: Environment = {};
  expect(withOwnRedis({ path: config, env, needs: [] }).env['REDIS_URL']).toBe('redis://127.0.0.1:2');
});

test('fixpoint doctor finds the secrets that setup has written', async () => {
  const secrets = { FIXPOINT_MARKER_SECRET: 'm'.repeat(40), TOKEN: 't'.repeat(24), HOOK: 'h'.repeat(24) };
  const lines = Object.entries({ ...secrets, REDIS_URL: 'redis://127.0.0.1:1' });
  writeFileSync(file, lines.map(([name, value]) => `${name}=${value}\n`).join(''));
  const { stdout } = await runCli(['doctor', '--config', config]);
  expect(stdout).toContain(`ok    configuration: ${config}`);
  expect(stdout).not.toContain('is not set');
  for (const secret of Object.values(secrets)) expect(stdout).not.toContain(secret);
}, 120_000);
