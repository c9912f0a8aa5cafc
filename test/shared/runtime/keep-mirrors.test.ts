import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMetrics, type Metrics } from '../../../shared/metrics.ts';
import { type KeptMirrors, keepMirrors } from '../../../shared/runtime/mirrors/keep-mirrors.ts';
import { countOf, parseMetrics } from '../../support/read-metrics.ts';
import { CARE_EVERY_MS } from '../../../shared/workspace/mirror/mirror-care.ts';
import { GIT, temporaryFolder } from '../workspace/repository.ts';

let folder = temporaryFolder();
let metrics: Metrics;
let lines: unknown[];
let kept: KeptMirrors;

beforeEach(() => {
  folder = temporaryFolder();
  metrics = createMetrics({ service: 'reviewer', processMetrics: false });
  lines = [];
});
afterEach(() => {
  kept.close();
  folder.dispose();
});

const mirror = (name: string, bytes: number, usedDaysAgo: number): void => {
  const pack = join(folder.path, 'mirrors', name, 'objects', 'pack');
  mkdirSync(pack, { recursive: true });
  writeFileSync(join(pack, 'pack-1.pack'), Buffer.alloc(bytes, 'x'));
  const use = join(folder.path, 'mirrors', `${name}.use`);
  mkdirSync(use);
  const at = new Date(Date.now() - usedDaysAgo * 24 * 3_600_000);
  utimesSync(use, at, at);
};

const log = {
  info: (fields: unknown, message: string) => void lines.push(['info', fields, message]),
  warn: (fields: unknown, message: string) => void lines.push(['warn', fields, message]),
};

const start = async (maxGb: number): Promise<void> => {
  const config = { dataDir: folder.path, mirrors: { maxGb, unusedDays: 30, fetchTimeoutS: 600 } };
  // Only these two methods of the log are called.
  kept = keepMirrors({ config, log: log as never, metrics }, () => {});
  await kept.keeper.tidy();
};

const read = async (name: string) => countOf(parseMetrics(await metrics.registry.metrics()), name);

test('a start removes what is unused or beyond the cap, and says so in the log and the metrics', async () => {
  mirror('home.1.git', 4096, 31);
  mirror('home.2.git', 400_000, 2);
  mirror('home.3.git', 700_000, 1);
  mirror('away.4.git', 2_000_000, 0);
  await start(0.001);
  expect(readdirSync(join(folder.path, 'mirrors')).filter((name) => name.endsWith('.git'))).toEqual(['home.3.git']);
  expect(lines).toEqual(
    expect.arrayContaining([
      ['info', { forge: 'home', project: 1, bytes: expect.any(Number), reason: 'unused' }, 'mirror removed'],
      ['info', { forge: 'home', project: 2, bytes: expect.any(Number), reason: 'cap' }, 'mirror removed'],
      ['info', { forge: 'away', project: 4, bytes: expect.any(Number), reason: 'oversized' }, 'mirror removed'],
    ]),
  );
  expect(lines.filter((line) => JSON.stringify(line).includes('exceeds mirrors.max_gb'))).toHaveLength(1);
  expect(await read('fixpoint_mirrors_evicted_total')).toEqual({
    'reason=unused': 1,
    'reason=cap': 1,
    'reason=oversized': 1,
  });
  const [bytes] = Object.values(await read('fixpoint_mirror_bytes'));
  expect(bytes).toBeGreaterThanOrEqual(700_000);
  expect(bytes).toBeLessThan(800_000);
});

test('a mirror is packed after a use when its day is over, and the log says so', async () => {
  await start(1);
  const base = join(folder.path, 'mirrors', 'home.1.git');
  execFileSync(GIT, ['init', '--quiet', '--bare', base]);
  const dayAgo = new Date(Date.now() - CARE_EVERY_MS);
  writeFileSync(join(base, 'fixpoint-cared'), '');
  utimesSync(join(base, 'fixpoint-cared'), dayAgo, dayAgo);
  kept.keeper.care?.(base, GIT);
  await vi.waitFor(() =>
    expect(lines).toContainEqual(['info', { forge: 'home', project: 1, packs: [0, 0], refs: [0, 0] }, 'mirror packed']),
  );
});

test('a process without jobs removes mirrors too, until it is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    await start(1);
    mirror('home.1.git', 4096, 31);
    kept.close();
    await vi.advanceTimersByTimeAsync(3_600_000);
    await kept.keeper.tidy();
    expect(readdirSync(join(folder.path, 'mirrors'))).toContain('home.1.git');
    await start(1);
    mirror('home.2.git', 4096, 31);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    await vi.waitFor(() => expect(readdirSync(join(folder.path, 'mirrors'))).toEqual([]));
  } finally {
    vi.useRealTimers();
  }
});
