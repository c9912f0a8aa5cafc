/** The table of `deploy/guide/scaling.md` says what each service needs: secrets, port, peers and data. */
import { expect, test } from 'vitest';
import { SettingsFile } from '../../shared/config/schema.ts';
import { listSettings } from '../../shared/config/text/setting-tree.ts';
import type { ServiceName } from '../../shared/config/service-needs.ts';
import { readProjectFile } from '../conventions/source.ts';
import { healthPort, namedBy, peersOf, runsCages, SERVICES } from './service-facts.ts';

const page = readProjectFile('deploy/guide/scaling.md');

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The page says once that every service needs them. */
const ofRedis = new Set(['redis.url_env', 'redis.sentinel_password_env']);

const rowOf = (service: ServiceName): string => {
  const data = runsCages(service) ? 'mirrors and work in `data_dir`' : 'none';
  const ports = service === 'console' ? `8090, ${healthPort(service)}` : healthPort(service);
  const own = namedBy(service).filter((name) => !ofRedis.has(name));
  return `| ${service} | ${code(own)} | ${ports} | ${peersOf(service).join(', ')} | ${data} |`;
};

test('has a row for each service, with everything that its deployment must provide', () => {
  const rows = page.split('\n').filter((line) => SERVICES.some((name) => line.startsWith(`| ${name} | \``)));
  expect(rows).toEqual(SERVICES.map(rowOf));
});

test('says what every service needs', () => {
  for (const service of SERVICES) expect(namedBy(service)).toEqual(expect.arrayContaining([...ofRedis]));
  expect(page.replaceAll('\n', ' ')).toContain(`every service: ${code([...ofRedis])}`);
});

test('names every setting that names a variable with a secret', () => {
  const settings = listSettings(SettingsFile)
    .filter((setting) => /_envs?$|^agent\.provider.*key_env$/.test(setting) && !setting.startsWith('project[]'))
    .map((setting) => setting.replaceAll('[]', ''));
  const shown = new Set(SERVICES.flatMap(namedBy));
  // Used by a service whose own token is not set.
  expect(settings.filter((setting) => !shown.has(setting))).toEqual(['forge.token_env']);
});
