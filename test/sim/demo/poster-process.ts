/** The poster as a process of its own, so that it can be killed: the service's `main.ts`, from source. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const START_MS = 60_000;

export type PosterProcess = {
  readonly pid: number;
  /** SIGKILL: the process cannot clean up. Resolves once it is gone. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type PosterLaunch = {
  readonly configFile: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Gets every line that the process logs. */
  readonly hear: (line: string) => void;
};

const isUp = (line: string): boolean => line.includes('"msg":"service is running"');

const launch = ({ configFile, env }: PosterLaunch): ChildProcess =>
  spawn(
    process.execPath,
    ['--import', 'tsx', 'services/poster/main.ts', '--config', configFile, '--leave-with-stdin'],
    { cwd: ROOT, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );

/** Resolves with the end of the process. */
const endOf = async (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', ({ message }) => resolve(message));
  });

const untilUp = async (child: ChildProcess, hear: (line: string) => void, ended: Promise<string>): Promise<void> => {
  const up = new Promise<void>((resolve) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      hear(line);
      if (isUp(line)) resolve();
    });
  });
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', hear);
  // A pipe that breaks says nothing that the end of the process does not say.
  child.stdin?.on('error', () => {});
  const limit = AbortSignal.timeout(START_MS);
  const late = new Promise<string>((resolve) => {
    limit.addEventListener('abort', () => resolve(`did not start within ${START_MS} ms`), { once: true });
  });
  const why = await Promise.race([up, ended, late]);
  if (why !== undefined) throw new Error(`the poster did not start: ${why}`);
};

/** Resolves when the service takes jobs. @throws when it does not; the process is gone then. */
export const startPosterProcess = async (options: PosterLaunch): Promise<PosterProcess> => {
  const child = launch(options);
  const ended = endOf(child);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await untilUp(child, options.hear, ended);
  } catch (error) {
    await kill();
    throw error;
  }
  const stop = async (): Promise<void> => {
    const hard = setTimeout(() => child.kill('SIGKILL'), 8_000);
    child.stdin?.end();
    await ended;
    clearTimeout(hard);
  };
  return { pid: child.pid ?? -1, kill, stop };
};
