/** A real Prometheus on loopback, which reads the metrics of services that run on this machine. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { freePort } from './redis.ts';
import { PROJECT_ROOT } from './tracked-files.ts';

const Result = z.object({
  metric: z.record(z.string(), z.string()),
  value: z.tuple([z.number(), z.string()]).optional(),
  values: z.array(z.tuple([z.number(), z.string()])).optional(),
});
const Answer = z.object({ status: z.literal('success'), data: z.unknown() });
const Queried = z.object({ result: z.array(Result) });

export const RuleSeen = z.object({
  name: z.string(),
  health: z.string(),
  state: z.string(),
  lastError: z.string().optional(),
});
export type RuleSeen = z.output<typeof RuleSeen>;
const Alert = z.object({
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  state: z.string(),
});
export type SeenAlert = z.output<typeof Alert>;

export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly values: readonly number[] };

export type PrometheusServer = {
  readonly instant: (expr: string) => Promise<readonly Sample[]>;
  /** With one value per second. */
  readonly range: (expr: string, lastSeconds: number) => Promise<readonly Sample[]>;
  readonly rules: () => Promise<readonly RuleSeen[]>;
  readonly alerts: () => Promise<readonly SeenAlert[]>;
  readonly stop: () => Promise<void>;
};

/** Ports by service. The configuration is the one of `deploy/prometheus`, with these ports and short intervals. */
export type Targets = Readonly<Record<string, number>>;

const FOLDER = path.join(PROJECT_ROOT, 'deploy', 'prometheus');
const INTERVAL = '500ms';
const START_MS = 30_000;
const ASK_MS = 20_000;

const Config = z.looseObject({
  scrape_configs: z.tuple([
    z.looseObject({
      static_configs: z.array(z.object({ targets: z.tuple([z.string()]), labels: z.object({ service: z.string() }) })),
    }),
  ]),
});

const configFor = async (targets: Targets): Promise<string> => {
  const config = Config.parse(parse(await readFile(path.join(FOLDER, 'prometheus.yml'), 'utf8')));
  const [job] = config.scrape_configs;
  const moved = job.static_configs.map(({ labels }) => ({
    targets: [`127.0.0.1:${targets[labels.service] ?? 0}`],
    labels,
  }));
  return stringify({
    ...config,
    global: { scrape_interval: INTERVAL, scrape_timeout: INTERVAL, evaluation_interval: INTERVAL },
    rule_files: [path.join(FOLDER, 'alerts.yml')],
    scrape_configs: [{ ...job, static_configs: moved }],
  });
};

/** Contract: the caller stops it, also when a test fails. */
export const startPrometheus = async (targets: Targets): Promise<PrometheusServer> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-prometheus-'));
  const file = path.join(folder, 'prometheus.yml');
  await writeFile(file, await configFor(targets));
  const port = await freePort();
  const process_ = launch([
    `--config.file=${file}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    '--storage.tsdb.retention.time=1h',
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ]);
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await process_.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await untilReady(url, process_);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...clientOf(url), stop };
};

type Launched = { readonly end: () => Promise<void>; readonly hasEnded: () => boolean; readonly said: () => string };

const launch = (args: readonly string[]): Launched => {
  const child = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const killWith = (): boolean => child.kill('SIGKILL');
  process.once('exit', killWith);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      hasEnded = true;
      process.off('exit', killWith);
      resolve();
    });
  });
  const end = async (): Promise<void> => {
    killWith();
    await ended;
  };
  return { end, hasEnded: () => hasEnded, said: () => said };
};

const untilReady = async (url: string, { hasEnded, said }: Launched): Promise<void> => {
  const deadline = performance.now() + START_MS;
  const isReady = async (): Promise<boolean> => {
    try {
      return (await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
    } catch {
      return false;
    }
  };
  while (!(await isReady())) {
    if (hasEnded() || performance.now() >= deadline) throw new Error(`Prometheus did not start: ${said()}`);
    await pause(50);
  }
};

const clientOf = (url: string): Omit<PrometheusServer, 'stop'> => {
  const ask = async (where: string, parameters: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/${where}?${new URLSearchParams(parameters).toString()}`, {
      signal: AbortSignal.timeout(ASK_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Prometheus says ${response.status}: ${text} (${parameters['query'] ?? where})`);
    return Answer.parse(JSON.parse(text)).data;
  };
  const samplesIn = (data: unknown): readonly Sample[] =>
    Queried.parse(data).result.map(({ metric, value, values = [] }) => ({
      labels: metric,
      values: [...(value === undefined ? [] : [value]), ...values].map(([, text]) => Number(text)),
    }));
  return {
    instant: async (query) => samplesIn(await ask('query', { query })),
    range: async (query, lastSeconds) => {
      const end = Date.now() / 1000;
      return samplesIn(await ask('query_range', { query, start: `${end - lastSeconds}`, end: `${end}`, step: '1' }));
    },
    rules: async () => {
      const data = z.object({ groups: z.array(z.object({ rules: z.array(RuleSeen) })) }).parse(await ask('rules'));
      return data.groups.flatMap(({ rules }) => rules);
    },
    alerts: async () => z.object({ alerts: z.array(Alert) }).parse(await ask('alerts')).alerts,
  };
};
