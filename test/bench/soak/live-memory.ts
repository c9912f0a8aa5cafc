/** What a service still refers to after its garbage was collected: only this shows a leak, because V8 collects late. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** A collection takes a tenth of a second; a service on a busy machine may need longer to get to it. */
const LIMIT_MS = 5_000;
const LOOK_MS = 50;
const BYTES_PER_MB = 1024 ** 2;

export type LiveMemory = {
  /** For the environment of every service. */
  readonly env: Readonly<Record<string, string>>;
  /** In MB, of the heap and the buffers outside it. Null if the process has ended or does not answer in time. */
  readonly measure: (pid: number) => Promise<number | null>;
  readonly close: () => Promise<void>;
};

type Answer = { readonly count: number; readonly bytes: number };

export const startLiveMemory = async (): Promise<LiveMemory> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-soak-'));
  const preload = pathToFileURL(path.join(import.meta.dirname, 'collect-garbage.mjs')).href;
  const answerOf = async (pid: number): Promise<Answer> => {
    const text = await readFile(path.join(folder, String(pid)), 'utf8').catch(() => '');
    const [, count = '0', bytes = '0'] = /^(\d+) (\d+)\n$/.exec(text) ?? [];
    return { count: Number(count), bytes: Number(bytes) };
  };
  return {
    env: { NODE_OPTIONS: `--import=${preload}`, SOAK_LIVE_FOLDER: folder },
    measure: async (pid) => {
      const before = await answerOf(pid);
      try {
        process.kill(pid, 'SIGUSR2');
      } catch {
        return null;
      }
      const endMs = performance.now() + LIMIT_MS;
      while (performance.now() < endMs) {
        const { count, bytes } = await answerOf(pid);
        if (count > before.count) return bytes / BYTES_PER_MB;
        await pause(LOOK_MS);
      }
      return null;
    },
    close: async () => rm(folder, { recursive: true, force: true }),
  };
};
