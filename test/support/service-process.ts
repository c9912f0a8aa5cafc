/** One service as its own process, with its log in a file and in memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { ServiceName } from '../../shared/config/service-needs.ts';

const LogRecord = z.looseObject({ msg: z.string(), level: z.union([z.number(), z.string()]) });
export type LogRecord = z.output<typeof LogRecord>;

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type ServiceProcess = {
  readonly name: ServiceName;
  readonly pid: number;
  readonly logFile: string;
  readonly records: readonly LogRecord[];
  readonly output: readonly string[];
  /** Settles once the process has ended and all of its output was read. */
  readonly drained: Promise<void>;
  readonly exited: Promise<Exit>;
  /** Resolves with the first matching record; rejects after `timeoutMs`, or when the process ends without one. */
  logged(fits: (record: LogRecord) => boolean, timeoutMs?: number): Promise<LogRecord>;
  /** SIGKILL: the process cannot clean up. */
  kill(): Promise<Exit>;
  terminate(): Promise<Exit & { readonly tookMs: number }>;
};

export type ServiceLaunch = {
  readonly name: ServiceName;
  readonly script: string;
  readonly configFile: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
};

/** Generous, because machines may be slow and the limit only matters when something is broken. */
const START_MS = 60_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Resolves when the service logs that it is up. When it does not, the process is killed. */
export const startServiceProcess = async (launch: ServiceLaunch): Promise<ServiceProcess> => {
  const child = spawn(process.execPath, [launch.script, '--config', launch.configFile], {
    env: { ...launch.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const service = watch(child, launch);
  const ready = launch.name === 'ingress' ? 'ingress listens' : 'service is running';
  try {
    await service.logged(({ msg }) => msg === ready, START_MS);
  } catch (cause) {
    await service.kill();
    throw new Error(`${launch.name} did not start, see ${launch.logFile}`, { cause });
  }
  return service;
};

type Watcher = (record: LogRecord) => void;

const watch = (child: ChildProcess, { name, logFile }: ServiceLaunch): ServiceProcess => {
  const records: LogRecord[] = [];
  const watchers = new Set<Watcher>();
  const file = createWriteStream(logFile, { flags: 'a' });
  const output: string[] = [];
  child.stderr?.pipe(file, { end: false });
  child.stderr?.on('data', (chunk) => output.push(String(chunk)));
  const drained = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      file.write(`${line}\n`);
      output.push(line);
      const parsed = LogRecord.safeParse(parseJson(line));
      if (!parsed.success) return;
      records.push(parsed.data);
      for (const watcher of watchers) watcher(parsed.data);
    });
  }
  return {
    name,
    pid: child.pid ?? -1,
    logFile,
    records,
    output,
    drained,
    exited,
    logged: async (fits, timeoutMs = START_MS) =>
      records.find(fits) ?? awaitRecord({ fits, watchers, exited, timeoutMs, logFile }),
    kill: async () => {
      child.kill('SIGKILL');
      return exited;
    },
    terminate: async () => {
      const startedAt = performance.now();
      child.kill('SIGTERM');
      const exit = await exited;
      return { ...exit, tookMs: performance.now() - startedAt };
    },
  };
};

type Waiting = {
  readonly fits: (record: LogRecord) => boolean;
  readonly watchers: Set<Watcher>;
  readonly exited: Promise<Exit>;
  readonly timeoutMs: number;
  readonly logFile: string;
};

const awaitRecord = async ({ fits, watchers, exited, timeoutMs, logFile }: Waiting): Promise<LogRecord> =>
  new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      watchers.delete(watcher);
      settle();
    };
    const fail = (why: string): void => finish(() => reject(new Error(`${why}, see ${logFile}`)));
    const watcher: Watcher = (record) => {
      if (fits(record)) finish(() => resolve(record));
    };
    const timer = setTimeout(() => fail(`no such log line within ${timeoutMs} ms`), timeoutMs);
    watchers.add(watcher);
    void exited.then(() => fail('the process ended without such a log line'));
  });

const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};
