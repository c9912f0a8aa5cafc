import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../support/tracked-files.ts';

/** A checkout with a lock file, and a PATH that holds only what a test puts there. Each tool notes that it was called. */
function createMachine() {
  const root = mkdtempSync(join(tmpdir(), 'fixpoint-prepare-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(root, 'bin');
  const lock = (one: { readonly version: string }): void => {
    const packages = {
      '': {},
      'node_modules/one': one,
      'node_modules/elsewhere': { version: '1.0.0', optional: true },
    };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  };
  for (const folder of [bin, join(root, 'deploy'), join(root, 'services')]) mkdirSync(folder);
  cpSync(join(PROJECT_ROOT, 'deploy', 'prepare.mjs'), join(root, 'deploy', 'prepare.mjs'));
  for (const name of ['package.json', 'tsconfig.json']) writeFileSync(join(root, name), '{}');
  lock({ version: '1.0.0' });
  writeFileSync(join(root, 'deploy', 'build.mjs'), BUILD);
  for (const tool of ['sh', 'mkdir', 'touch', 'cp', 'id']) symlinkSync(`/bin/${tool}`, join(bin, tool));

  const install = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> "${root}/calls"\necho noise\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  install(
    'npm',
    `mkdir -p "${root}/node_modules" && cp "${root}/package-lock.json" "${root}/node_modules/.package-lock.json"`,
  );
  const calls = (): string => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8') : '');
  const prepare = (...flags: string[]) =>
    spawnSync(process.execPath, [join(root, 'deploy', 'prepare.mjs'), ...flags], {
      env: { PATH: bin },
      encoding: 'utf8',
    });
  return { root, bin, install, calls, prepare, lock };
}

const BUILD = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
writeFileSync('dist/.built', '');
appendFileSync('calls', 'build\\n');
console.log('noise');`;

const INSTALL_REDIS = (bin: string): string => `[ "$2" = update ] || touch "${bin}/redis-server" "${bin}/git"`;
const later = (): Date => new Date(Date.now() + 60_000);
const isRoot = process.getuid?.() === 0;

test('installs the packages once, again after the lock file changed, and says nothing on stdout', () => {
  const { root, calls, prepare, lock } = createMachine();
  expect(prepare()).toMatchObject({ status: 0, stdout: '' });
  expect(calls()).toBe('npm ci --no-audit --no-fund --loglevel=error\n');
  prepare();
  expect(calls().split('\n')).toHaveLength(2);
  utimesSync(join(root, 'package-lock.json'), later(), later());
  prepare();
  expect(calls().split('\n')).toHaveLength(2);
  lock({ version: '1.0.1' });
  prepare();
  expect(calls().split('\n')).toHaveLength(3);
});

test('stops when the installation fails', () => {
  const { install, prepare } = createMachine();
  install('npm', 'exit 3');
  const { status, stderr } = prepare();
  expect(status).toBe(1);
  expect(stderr).toContain('"npm ci --no-audit --no-fund --loglevel=error" failed');
});

test('builds only when asked, and then only when a source is newer', () => {
  const { root, calls, prepare } = createMachine();
  prepare();
  expect(calls()).not.toContain('build');
  const first = prepare('--build');
  expect(first).toMatchObject({ status: 0, stdout: '' });
  prepare('--build');
  expect(calls().match(/build/g)).toHaveLength(1);
  writeFileSync(join(root, 'services', 'new.ts'), '');
  utimesSync(join(root, 'services', 'new.ts'), later(), later());
  prepare('--build');
  expect(calls().match(/build/g)).toHaveLength(2);
});

test('asks for a Redis server and git in plain words where it cannot install them', () => {
  const { prepare } = createMachine();
  const { status, stderr } = prepare('--tests');
  expect(status).toBe(1);
  expect(stderr).toContain('the tests need redis-server and git on PATH (valkey-server does as well)');
});

test('is content with valkey-server in the place of redis-server', () => {
  const { install, calls, prepare } = createMachine();
  install('valkey-server', '');
  install('git', '');
  expect(prepare('--tests')).toMatchObject({ status: 0, stdout: '' });
  expect(calls()).not.toMatch(/valkey|git/);
});

test.skipIf(!isRoot)('installs what the tests miss when it may', () => {
  const { bin, install, calls, prepare } = createMachine();
  install('apt-get', INSTALL_REDIS(bin));
  expect(prepare('--tests')).toMatchObject({ status: 0, stdout: '' });
  expect(calls()).toContain('apt-get -qq update\napt-get -qq -y --no-install-recommends install redis-server git\n');
});

test('goes on without bubblewrap where it cannot be had, and says what that costs', () => {
  const { install, prepare } = createMachine();
  for (const name of ['redis-server', 'git']) install(name, '');
  const { status, stderr } = prepare('--tests');
  expect([status, stderr]).toEqual([0, expect.stringContaining('the tests of the cage will be skipped')]);
});

test.skipIf(!isRoot)('installs bubblewrap when it may, and goes on when that fails', () => {
  const { install, calls, prepare } = createMachine();
  for (const name of ['redis-server', 'git']) install(name, '');
  install('apt-get', '[ "$2" = update ] || exit 100');
  expect(prepare('--tests')).toMatchObject({ status: 0, stdout: '' });
  for (const tool of ['bubblewrap', 'shellcheck', 'openssl', 'chromium', 'prometheus'])
    expect(calls()).toContain(`apt-get -qq -y --no-install-recommends install ${tool}\n`);
  for (const name of ['bwrap', 'shellcheck', 'openssl', 'chromium', 'promtool']) install(name, '');
  const before = calls();
  expect(prepare('--tests')).toMatchObject({ status: 0, stdout: '' });
  expect(calls().slice(before.length)).not.toContain('apt-get');
});

test.skipIf(!isRoot)(
  'lets no installed package start a service, and keeps a policy that the machine already has',
  () => {
    const policy = '/usr/sbin/policy-rc.d';
    const before = existsSync(policy) ? readFileSync(policy, 'utf8') : null;
    const { bin, root, install, prepare } = createMachine();
    install('apt-get', `${policy} prometheus start; echo "$?" >> "${root}/answers"\n${INSTALL_REDIS(bin)}`);
    expect(prepare('--tests').status).toBe(0);
    expect(new Set(readFileSync(join(root, 'answers'), 'utf8').trim().split('\n'))).toEqual(new Set(['101']));
    expect(existsSync(policy) ? readFileSync(policy, 'utf8') : null).toBe(before);
  },
);

test.skipIf(!isRoot)('stops when the installation left something missing', () => {
  const { install, prepare } = createMachine();
  install('apt-get', '');
  expect(prepare('--tests').stderr).toContain('redis-server and git is still missing after the installation');
});
