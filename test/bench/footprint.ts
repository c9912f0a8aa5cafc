/**
 * What an installation takes before any work: the time until each built service is ready, its memory then and at rest,
 * and the size of the packages that production needs. A real Redis and a simulated forge; the services start one at a time.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { ServiceName } from '../../shared/config/service-needs.ts';
import { ROOT } from '../support/built.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { processSeconds } from './cpu-time.ts';
import { median, showSpread } from './numbers.ts';

const SERVICES: readonly ServiceName[] = ['ingress', 'guard', 'reviewer', 'explorer', 'poster', 'author', 'console'];
const STARTS = 5;
/**
 * V8 returns the memory that the start needed when the process has been idle for a while: 20 to 40 s after the start.
 * Measured sooner, the figure is that of the start.
 */
const REST_MS = 60_000;
const MEGABYTE = 1_000_000;
const GOALS = { startS: 1.5, restMb: 120, packagesMb: 200 };

/** Resident memory, and the same with shared pages divided by the number of processes that have them. */
type Memory = { readonly rssMb: number; readonly pssMb: number };

type Start = Memory & {
  readonly startS: number;
  readonly cpuS: number;
  /** Resident memory as soon as the service is ready. */
  readonly readyMb: number;
};

const kilobytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN);

const memoryOf = (pid: number): Memory => {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const [rssMb, pssMb] = ['Rss', 'Pss'].map((name) => (kilobytes(text, name) * 1024) / MEGABYTE);
  return { rssMb: rssMb ?? Number.NaN, pssMb: pssMb ?? Number.NaN };
};

type Started = Omit<Start, keyof Memory> & { readonly service: ServiceProcess };

/** The clock starts before the process is created. */
const startOne = async (fleet: Fleet, name: ServiceName): Promise<Started> => {
  const startMs = performance.now();
  const service = await fleet.spawn(name);
  const startS = (performance.now() - startMs) / 1000;
  return { startS, cpuS: processSeconds(service.pid), readyMb: memoryOf(service.pid).rssMb, service };
};

const endOne = async (name: ServiceName, service: ServiceProcess): Promise<void> => {
  const { code, signal } = await service.terminate();
  if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}, see ${service.logFile}`);
};

/** Starts the services one after the other, and lets them rest together. */
const startRound = async (fleet: Fleet): Promise<ReadonlyMap<ServiceName, Start>> => {
  const started = new Map<ServiceName, Started>();
  for (const name of SERVICES) started.set(name, await startOne(fleet, name));
  await pause(REST_MS);
  const rested = new Map<ServiceName, Start>();
  for (const [name, { service, ...start }] of started) {
    rested.set(name, { ...start, ...memoryOf(service.pid) });
    await endOne(name, service);
  }
  return rested;
};

const startServices = async (): Promise<ReadonlyMap<ServiceName, readonly Start[]>> => {
  const push = 'SIM_PUSH_TOKEN';
  const token = (): string => randomBytes(24).toString('hex');
  const consoleToken = token();
  const fleet = await startFleet({
    count: { poster: 0, guard: 0, reviewer: 0, explorer: 0, ingress: 0 },
    knobs: { more: '[author]\nenabled = true\ncommand = ["/bin/true"]\n\n[console]\nenabled = true\nport = 0\n' },
    reach: async (forgeUrl) => ({ forgeUrl, forgeToml: `push_token_env = "${push}"`, env: { [push]: token() } }),
    env: { CONSOLE_TOKEN: consoleToken },
  });
  try {
    const starts = new Map(SERVICES.map((name): [ServiceName, Start[]] => [name, []]));
    // The first start reads the files from the disk.
    for (const name of SERVICES) await endOne(name, (await startOne(fleet, name)).service);
    for (let round = 0; round < STARTS; round += 1) {
      for (const [name, start] of await startRound(fleet)) starts.get(name)?.push(start);
    }
    return starts;
  } finally {
    await fleet.close();
  }
};

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ dev: z.boolean().optional(), devOptional: z.boolean().optional(), peer: z.boolean().optional() }),
  ),
});

/** Without the packages inside, which have entries of their own. */
const folderBytes = (folder: string): number => {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += entry.name === 'node_modules' ? 0 : folderBytes(path);
    else if (entry.isFile()) bytes += statSync(path).size;
  }
  return bytes;
};

type Package = { readonly name: string; readonly mb: number };

/** Those that `npm ci --omit=dev` installs on this machine. */
const productionPackages = (): readonly Package[] => {
  const lock = Lock.parse(JSON.parse(readFileSync(join(ROOT, 'node_modules', '.package-lock.json'), 'utf8')));
  const wanted = Object.entries(lock.packages).filter(
    ([, { dev, devOptional }]) => dev !== true && devOptional !== true,
  );
  return wanted.map(([name]) => ({ name, mb: folderBytes(join(ROOT, name)) / MEGABYTE }));
};

const verdict = (value: number, limit: number): string => (value < limit ? 'met' : 'MISSED');

const COLUMNS = ['ready after s', 'CPU s', 'RSS MB then', 'RSS MB at rest', 'PSS MB at rest', ''];

const printRow = (name: string, cells: readonly string[]): void =>
  console.log(`  ${name.padEnd(10)}${cells.map((cell) => cell.padStart(24)).join('')}`);

const printStarts = (name: string, starts: readonly Start[]): void => {
  const of = (key: keyof Start): readonly number[] => starts.map((each) => each[key]);
  const goals = `start ${verdict(median(of('startS')), GOALS.startS)}, memory ${verdict(median(of('rssMb')), GOALS.restMb)}`;
  printRow(name, [
    showSpread(of('startS')),
    showSpread(of('cpuS')),
    showSpread(of('readyMb'), 0),
    showSpread(of('rssMb'), 0),
    showSpread(of('pssMb'), 0),
    `  ${goals}`,
  ]);
};

export const benchFootprint = async (): Promise<void> => {
  const goals = `goals: ready within ${GOALS.startS} s, RSS below ${GOALS.restMb} MB`;
  console.log(
    `\nfootprint: medians and extremes of ${STARTS} starts, memory when ready and after ${REST_MS / 1000} s at rest; ${goals}`,
  );
  printRow('', COLUMNS);
  for (const [name, starts] of await startServices()) printStarts(name, starts);
  const packages = productionPackages();
  const mb = packages.reduce((sum, each) => sum + each.mb, 0);
  const largest = packages.toSorted((one, other) => other.mb - one.mb).slice(0, 5);
  console.log(
    `  ${packages.length} packages of production: ${mb.toFixed(0)} MB, goal ${GOALS.packagesMb} MB ${verdict(mb, GOALS.packagesMb)}`,
  );
  console.log(`  the largest: ${largest.map((each) => `${each.name} ${each.mb.toFixed(0)} MB`).join(', ')}`);
};
