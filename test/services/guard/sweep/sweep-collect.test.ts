/** Which projects a sweep finds, and what it tells the operator where it finds none or too many. */
import { expect, test } from 'vitest';
import { collectProjects } from '../../../../services/guard/sweep/sweep-collect.ts';
import type { SweepDeps, SweepForge } from '../../../../services/guard/sweep/sweep-deps.ts';
import { createSweepMeter } from '../../../../services/guard/sweep/sweep-meter.ts';
import { parseProjectScope } from '../../../../shared/config/projects/project-scope.ts';
import { createLogger } from '../../../../shared/logger.ts';
import { NOW } from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';

const collect = async (projects: readonly string[], readProjectPage: SweepForge['read']['readProjectPage']) => {
  const logged: string[] = [];
  const log = createLogger({
    service: 'guard',
    level: 'warn',
    to: { write: (line) => void logged.push(String(JSON.parse(line).msg)) },
    secrets: [],
  });
  const known = new Map([['acme/shop', { id: 7, foundAtMs: NOW - 1, activeAtMs: 5 }]]);
  // Only these are asked for.
  const deps = { known: { all: async () => known }, nowMs: () => NOW } as unknown as SweepDeps;
  const forge = { id: 'main', scope: parseProjectScope(projects), read: { readProjectPage } } as unknown as SweepForge;
  const meter = createSweepMeter(1_000);
  const found = await collectProjects(deps, forge, { meter, signal: never(), log });
  return { found, logged, requests: meter.restMs(0) };
};

const page = (number: number, last: boolean) => ({
  projects: [{ id: number, path: `acme/p${number}`, activeAtMs: 1 }],
  last,
});

test.each([
  ['that ends', 3, 3, []],
  ['as long as can be read', 100, 100, []],
  ['that never ends', 1_000, 100, ['there are more projects than can be listed']],
])('of a list %s, up to 100 pages are read', async (_what, pages, read, logged) => {
  const done = await collect(['acme/*'], async (_place, number) => page(number, number === pages));
  expect([done.found.length, done.requests, done.logged]).toEqual([read, read, logged]);
});

test('a group that does not exist is a warning, and one that fails keeps no other from being listed', async () => {
  const done = await collect(['gone/*', 'broken/*', 'acme/*', 'acme/shop', 'acme/new'], async (place) => {
    if (place.kind === 'group' && place.path === 'gone') return null;
    if (place.kind === 'group' && place.path === 'broken') throw new Error('the forge fails');
    return page(1, true);
  });
  expect(done.found).toEqual([
    { id: 7, path: 'acme/shop', activeAtMs: 5 },
    { id: null, path: 'acme/new', activeAtMs: null },
    { id: 1, path: 'acme/p1', activeAtMs: 1 },
  ]);
  expect(done.logged).toEqual(['a configured group does not exist or is not visible', 'projects could not be listed']);
});

test('a project outside the groups of the settings is left out', async () => {
  const done = await collect(['acme/*'], async () => ({
    projects: [{ id: 1, path: 'other/app', activeAtMs: 1 }],
    last: true,
  }));
  expect(done.found).toEqual([]);
});
