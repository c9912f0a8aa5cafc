/** `fixpoint env-files` for installations whose Redis or whose containers are elsewhere. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { PROJECT_ROOT } from '../../../support/tracked-files.ts';

const CLI = ['--import', 'tsx', path.join(PROJECT_ROOT, 'services/cli/main.ts'), 'env-files', '--config'];

const TOML = `
[[forge]]
id = "lab"
kind = "gitlab"
base_url = "https://gitlab.example.com"
read_token_env = "LAB_READ"
post_token_env = "LAB_POST"
git_token_env = "LAB_GIT"
webhook_secret_envs = ["LAB_HOOK"]
projects = ["a/b"]
`;

const makeInstallation = (more: Readonly<Record<string, string>>) => {
  const made = temporaryFolder();
  onTestFinished(() => made.dispose());
  const folder = made.path;
  const random = (): string => randomBytes(32).toString('hex');
  const names = ['LAB_READ', 'LAB_POST', 'LAB_GIT', 'LAB_HOOK', 'FIXPOINT_MARKER_SECRET'];
  const values: Readonly<Record<string, string>> = {
    ...Object.fromEntries(names.map((name) => [name, random()])),
    ANTHROPIC_API_KEY: `${random()}'#$`,
    ...more,
  };
  const text = Object.entries(values).map(([name, value]) => `${name}="${value}"\n`);
  writeFileSync(path.join(folder, 'fixpoint.toml'), TOML);
  writeFileSync(path.join(folder, '.env'), text.join(''));
  const args = [...CLI, path.join(folder, 'fixpoint.toml')];
  return { folder, values, args };
};

const run = (args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
};

type Secret = { readonly metadata: { readonly name: string }; readonly stringData: Readonly<Record<string, string>> };

test('prints a Secret for each service that runs, with its own variables and any value, and writes no file', () => {
  const { folder, values, args } = makeInstallation({ REDIS_PASSWORD: randomBytes(8).toString('hex') });
  const { status, stdout, stderr } = run([...args, '--kubernetes']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const { items }: { items: readonly Secret[] } = JSON.parse(stdout);
  const read = Object.fromEntries(items.map(({ metadata, stringData }) => [metadata.name, stringData]));
  const names = Object.fromEntries(Object.entries(read).map(([name, data]) => [name, Object.keys(data).toSorted()]));
  expect(names).toEqual({
    'fixpoint-ingress': ['LAB_HOOK', 'REDIS_URL'],
    'fixpoint-guard': ['FIXPOINT_MARKER_SECRET', 'LAB_READ', 'REDIS_URL'],
    'fixpoint-reviewer': ['ANTHROPIC_API_KEY', 'LAB_GIT', 'REDIS_URL'],
    'fixpoint-explorer': ['ANTHROPIC_API_KEY', 'LAB_GIT', 'REDIS_URL'],
    'fixpoint-poster': ['FIXPOINT_MARKER_SECRET', 'LAB_POST', 'REDIS_URL'],
    'fixpoint-redis': ['REDIS_PASSWORD'],
  });
  expect(read['fixpoint-reviewer']?.['ANTHROPIC_API_KEY']).toBe(values['ANTHROPIC_API_KEY']);
  expect(existsSync(path.join(folder, '.env.d'))).toBe(false);
});

test('writes the address of a shared Redis as it is, and no Secret for a Redis of its own', () => {
  const REDIS_URL = 'redis://user:word@redis.example.com:6380/2';
  const { folder, args } = makeInstallation({ REDIS_URL, ANTHROPIC_API_KEY: randomBytes(8).toString('hex') });
  execFileSync(process.execPath, args, { cwd: PROJECT_ROOT, env: { PATH: process.env['PATH'] } });
  expect(readFileSync(path.join(folder, '.env.d/guard.env'), 'utf8')).toContain(`\nREDIS_URL=${REDIS_URL}\n`);
  expect(run([...args, '--kubernetes']).stdout).not.toContain('fixpoint-redis');
});

test('says what is missing, and that --check goes with files only', () => {
  const { args } = makeInstallation({});
  expect(run([...args, '--kubernetes'])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('REDIS_PASSWORD is not set'),
  });
  expect(run([...args, '--kubernetes', '--check'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--check compares files'),
  });
});
