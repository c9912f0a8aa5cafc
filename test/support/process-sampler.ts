/** Polls the command lines and environments of all other processes, and the memory of those of one folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export type Sampled = {
  /** Command line and environment of every process seen; the key is process id and command line. */
  readonly processes: ReadonlyMap<string, string>;
  /** Peak memory of one process whose command line names the folder, in bytes. */
  readonly peakBytes: number;
};

const PAUSE_MS = 5;

const read = (pid: string, what: string): string => readFileSync(`/proc/${pid}/${what}`, 'latin1');

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
        // The process ended between listing and reading.
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
