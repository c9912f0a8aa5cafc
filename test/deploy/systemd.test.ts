/** The units of `deploy/systemd` are valid, and hardened as the containers are. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_DEADLINE_MS } from '../../shared/runtime/shutdown.ts';
import { readProjectFile } from '../conventions/source.ts';
import { PROJECT_ROOT } from '../support/tracked-files.ts';
import { runsCages, SERVICES } from './service-facts.ts';

const FOLDER = 'deploy/systemd';
const unitOf = (service: string): string => (runsCages(service) ? 'fixpoint-reviews@' : 'fixpoint@');

const settingsOf = (service: string): ReadonlyMap<string, string> =>
  new Map(
    [...readProjectFile(`${FOLDER}/${unitOf(service)}.service`).matchAll(/^(?<key>[A-Za-z]+)=(?<value>.*)$/gm)].map(
      ({ groups }) => [groups?.['key'] ?? '', (groups?.['value'] ?? '').replaceAll('%i', service)],
    ),
  );

describe.each(SERVICES)('the unit of the %s', (service) => {
  const settings = settingsOf(service);

  it('starts the built service as an ordinary account, with its own variables', () => {
    expect(settings.get('ExecStart')).toBe(`/usr/bin/node dist/services/${service}/main.js`);
    expect(settings.get('EnvironmentFile')).toBe(`/etc/fixpoint/.env.d/${service}.env`);
    expect(settings.get('User')).toBe('fixpoint');
  });

  it('gives it time to drain, ends its children last, and does not repeat a wrong configuration', () => {
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(DEFAULT_DEADLINE_MS / 1000);
    expect(settings.get('KillMode')).toBe('mixed');
    expect(settings.get('RestartPreventExitStatus')).toBe('2');
  });

  it('opens namespaces, mounts and a folder only for cages', () => {
    const open = {
      namespaces: settings.get('RestrictNamespaces'),
      calls: settings.get('SystemCallFilter'),
      folder: settings.get('StateDirectory'),
      memory: settings.get('MemoryMax'),
      // It forbids sethostname, with which a cage gets its own.
      host: settings.get('ProtectHostname'),
    };
    expect(open).toEqual(
      runsCages(service)
        ? {
            namespaces: 'user mnt pid net ipc uts cgroup',
            calls: '@system-service @mount sethostname',
            folder: 'fixpoint',
            memory: '4G',
            host: undefined,
          }
        : { namespaces: 'yes', calls: '@system-service', folder: undefined, memory: '512M', host: 'yes' },
    );
  });
});

const analyze = (...args: readonly string[]) =>
  spawnSync('systemd-analyze', args, { encoding: 'utf8', timeout: 60_000, env: { PATH: process.env['PATH'] } });
const isThere = analyze('--version').error === undefined;
const words = isThere ? '' : ' (skipped: systemd-analyze is not in PATH)';

const root = mkdtempSync(join(tmpdir(), 'fixpoint-systemd-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The units of one installation, as instances: systemd checks no template. */
const install = (): readonly string[] => {
  const folder = join(root, 'units');
  mkdirSync(folder, { recursive: true });
  cpSync(join(PROJECT_ROOT, FOLDER), folder, { recursive: true });
  for (const service of SERVICES) {
    const name = `${unitOf(service)}${service}.service`;
    const text = readProjectFile(`${FOLDER}/${unitOf(service)}.service`);
    // The account and the program of this machine in the place of those of an installation.
    const here = text.replaceAll('=fixpoint\n', '=root\n').replace('/usr/bin/node', process.execPath);
    writeFileSync(join(folder, name), here.replace('/opt/fixpoint', root));
  }
  return readdirSync(folder)
    .filter((name) => !name.includes('@.'))
    .map((name) => join(folder, name));
};

describe.skipIf(!isThere)(`systemd-analyze${words}`, () => {
  it('finds no fault in any unit', () => {
    const { status, stderr } = analyze('verify', '--man=no', '--recursive-errors=no', ...install());
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('would find a slip', () => {
    const [first = ''] = install().filter((path) => path.includes('@'));
    writeFileSync(first, '[Service]\nExecStart=/usr/bin/env\nRestartSecs=5\n');
    expect(analyze('verify', '--man=no', first).stderr).toMatch(/Unknown key.*'RestartSecs'/);
  });

  it.each([
    ['fixpoint@guard.service', 2.5],
    ['fixpoint-reviews@reviewer.service', 4],
  ])('rates the exposure of %s below %d', (name, limit) => {
    install();
    const { stdout } = analyze('security', '--offline=true', '--no-pager', join(root, 'units', name));
    const [, exposure = ''] = /Overall exposure level for \S+: (\d+\.\d)/.exec(stdout) ?? [];
    expect(Number(exposure)).toBeGreaterThan(0);
    expect(Number(exposure)).toBeLessThan(limit);
  });
});
