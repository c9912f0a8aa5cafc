/** Prometheus reads the metrics of real processes during a story: every query of the dashboard has data, and every rule works. */
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRedis } from '../../shared/store/redis.ts';
import { dashboardQueries, type DashboardQuery, fillIn, alertRules } from '../deploy/monitoring/monitoring-files.ts';
import { fail } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { hasPrometheus, promtool } from '../support/prometheus.ts';
import { type PrometheusServer, type Sample, startPrometheus, type Targets } from '../support/prometheus-server.ts';
import { freePort } from '../support/redis.ts';
import { commitBase, finalStatusOf, open, textOf } from '../support/story.ts';
import { openStoryQueues } from '../support/story-queues.ts';
import { eventually } from '../support/story-world.ts';
import { CHOSEN_WIRE, stageOf } from '../support/wires.ts';
import { METRICS_SETTINGS, type MetricsPlace, playMetricsStory, POOR, startOnCall } from './metrics-stage.ts';

/** Panels that a story on Forgejo cannot fill. */
const WITHOUT_DATA = [
  // Forgejo names no limit; test/shared/runtime/count-requests.test.ts reads one.
  'Requests that the forge still allows',
];

const TEST_MS = 240_000;
const WORKERS = ['guard', 'reviewer', 'explorer', 'poster'] as const;

type Stage = {
  readonly fleet: Fleet;
  readonly targets: Targets;
  readonly server: PrometheusServer;
  readonly startedAt: number;
};

const closers: (() => Promise<void>)[] = [];
let stage: Stage;

const isFree = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });

/** The first of as many free ports in a row as there are workers. */
const freePorts = async (): Promise<number> => {
  const first = await freePort();
  const all = await Promise.all(WORKERS.map(async (_, index) => first + index <= 65_000 && isFree(first + index)));
  return all.every(Boolean) ? first : freePorts();
};

const ingressPort = ({ records }: Fleet): number =>
  Number(records('ingress').find(({ msg }) => msg === 'ingress listens')?.['port']);

/** `home` and `poor` of the story, on the processes of a fleet. */
const placesOn = (fleet: Fleet): readonly MetricsPlace[] => {
  const redis = connectRedis(fleet.redis.url, 'worker');
  const queues = openStoryQueues(redis, 'fixpoint');
  closers.push(async () => {
    await queues.close();
    redis.disconnect();
  });
  const { sim, settings } = fleet;
  const calm = async (): Promise<void> => {
    await sim.settled();
    await eventually('idle queues', queues.idle);
  };
  const sweep = async (): Promise<void> => {
    await queues.addSweep();
    await calm();
  };
  return fleet.repos.map((repo) => ({ sim, repo, calm, sweep, redis, markerSecret: settings.markerSecret }));
};

const play = async (): Promise<Stage> => {
  const onCall = await startOnCall();
  closers.push(async () => onCall.receiver.close());
  const model = await CHOSEN_WIRE.start();
  closers.push(async () => model.close());
  const healthPort = await freePorts();
  const fleet = await startFleet({
    repos: ['shop', POOR],
    knobs: { model: stageOf(CHOSEN_WIRE, model), more: METRICS_SETTINGS, healthPort, backoffMs: 20 },
    env: onCall.env,
  });
  closers.push(async () => fleet.close());
  const ofWorkers = WORKERS.map((name, index) => [name, healthPort + index] as const);
  const targets: Targets = { ingress: ingressPort(fleet), ...Object.fromEntries(ofWorkers) };
  const startedAt = performance.now();
  const server = await startPrometheus(targets);
  closers.push(async () => server.stop());
  const [home, poor] = placesOn(fleet);
  if (home === undefined || poor === undefined) throw new Error('two repositories were made');
  await commitBase(home, { 'README.md': textOf('# Shop') });
  await playMetricsStory({ home, poor, model, reader: 'fixpoint-reader', receiver: onCall.receiver });
  await outage(server, home, model);
  return { fleet, targets, server, startedAt };
};

/** The model is away until Prometheus knows. */
const outage = async (
  server: PrometheusServer,
  home: MetricsPlace,
  model: Parameters<typeof playMetricsStory>[0]['model'],
): Promise<void> => {
  model.script(() => fail(529, { headers: { 'retry-after-ms': '5' } }));
  const number = await open(home, { branch: 'away', files: { 'away.js': textOf('export const a = 1;') } });
  await eventually('the outage', async () =>
    valuesOf(await server.instant('fixpoint_outage{what="model"}')).includes(1),
  );
  await eventually('its alert', async () =>
    (await server.alerts()).some(({ annotations }) => annotations['summary']?.endsWith('an outage: model')),
  );
  model.script(seededReviewer(7));
  await finalStatusOf(home, number);
  await eventually('the gauges', async () =>
    valuesOf(await server.instant('fixpoint_queue_jobs{state="failed"}')).includes(1),
  );
};

const valuesOf = (samples: readonly Sample[]): readonly number[] => samples.flatMap(({ values }) => values);

const dataOf = async ({ expr, isInstant }: DashboardQuery): Promise<readonly number[]> => {
  const seconds = Math.ceil((performance.now() - stage.startedAt) / 1000);
  const filled = fillIn(expr, { rate: 10, range: seconds });
  const samples = isInstant ? await stage.server.instant(filled) : await stage.server.range(filled, seconds);
  return valuesOf(samples).filter(Number.isFinite);
};

describe.skipIf(!hasPrometheus)('Prometheus and real processes (skipped without Prometheus)', () => {
  beforeAll(async () => {
    stage = await play();
  }, TEST_MS);

  afterAll(async () => {
    const failures: unknown[] = [];
    for (const close of closers.toReversed()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }, TEST_MS);

  test('the metrics of each process pass the check of promtool', async () => {
    for (const [service, port] of Object.entries(stage.targets)) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(text).toContain('process_resident_memory_bytes');
      expect({ service, ...promtool(['check', 'metrics'], text) }).toEqual({ service, code: 0, said: '' });
    }
  });

  test('every query of the dashboard has data, other than those of the list', { timeout: 60_000 }, async () => {
    const empty: string[] = [];
    for (const query of dashboardQueries()) if ((await dataOf(query)).length === 0) empty.push(query.title);
    expect(empty).toEqual(WITHOUT_DATA);
  });

  test('the dashboard shows what the story did', async () => {
    const of = async (title: string): Promise<Readonly<Record<string, number>>> => {
      const query = dashboardQueries().find((each) => each.title === title);
      if (query === undefined) throw new Error(`no panel ${title}`);
      const samples = await stage.server.instant(fillIn(query.expr, { rate: 60, range: 3_600 }));
      return Object.fromEntries(
        samples.map(({ labels, values }) => [Object.values(labels).join(' '), values[0] ?? NaN]),
      );
    };
    expect(await of('Processes that answer')).toEqual({ ingress: 1, guard: 1, reviewer: 1, explorer: 1, poster: 1 });
    expect(await of('Failed jobs in the list')).toMatchObject({ guard: 1, review: 0 });
    expect(await of('Open hand-offs')).toEqual({ sim: 1 });
    expect(await of('Projects without a working webhook')).toEqual({ sim: 1 });
    expect(await of('Share of thumbs-down')).toEqual({ 'claude-sonnet-5-5 none': 1 });
    expect(Object.keys(await of('Reviews by verdict')).toSorted()).toEqual(['feedback', 'inconclusive', 'lgtm']);
  });

  test('every alert rule is evaluated without an error, and the right ones fire', async () => {
    const rules = await stage.server.rules();
    expect(rules.map(({ name }) => name).toSorted()).toEqual(
      alertRules()
        .map(({ alert }) => alert)
        .toSorted(),
    );
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const alerts = await stage.server.alerts();
    const firing = alerts.filter(({ state }) => state === 'firing');
    expect(firing.map(({ annotations }) => annotations['summary'])).toEqual([
      'Jobs of the queue guard failed for good with JOB_REFUSED',
    ]);
    const pending = alerts.filter(({ state }) => state === 'pending').map(({ labels }) => labels['alertname']);
    expect(pending).toContain('FixpointWebhooksDisabled');
    expect(pending).not.toContain('FixpointServiceMissing');
    expect(alerts.flatMap(({ annotations }) => Object.values(annotations)).join()).not.toContain('<no value>');
  });
});
