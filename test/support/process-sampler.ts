/** Looks again and again at what every other process was started with, and how large those of one folder grew. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export type Sampled = {
  /** Command line and environment of everything that was seen, by process and command line. */
  readonly processes: ReadonlyMap<string, string>;
  /** The most memory that a process used whose command line names the folder. Bytes. */
  readonly peakBytes: number;
};

const PAUSE_MS = 5;

const read = (pid: string, what: string): string => readFileSync(`/proc/${pid}/${what}`, 'latin1');

/** Runs the work under the eyes of the sampler. */
export const sampleProcesses = async <Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly sampled: Sampled }> => {
  const processes = new Map<string, string>();
  let peakBytes = 0;
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid))) {
      try {
        const command = read(pid, 'cmdline').replaceAll('\0', ' ');
        processes.set(`${pid} ${command}`, `${command}\n${read(pid, 'environ')}`);
        const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(read(pid, 'status')) ?? [];
        if (command.includes(folder)) peakBytes = Math.max(peakBytes, Number(kilobytes) * 1024);
      } catch {
        // It ended between the listing and the reading.
      }
    }
  };
  const done = new AbortController();
  const sampler = (async () => {
    while (!done.signal.aborted) {
      look();
      await pause(PAUSE_MS);
    }
  })();
  try {
    return { result: await work(), sampled: { processes, peakBytes: (look(), peakBytes) } };
  } finally {
    done.abort();
    await sampler;
  }
};
