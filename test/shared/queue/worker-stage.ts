/** A worker of the queue of guard over a real Redis, and what it tells. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect } from 'vitest';
import { AppError, type Disposition } from '../../../shared/errors.ts';
import type { GuardJob } from '../../../shared/queue/contracts.ts';
import { createQueues, type Queues } from '../../../shared/queue/enqueue.ts';
import { type Handler, type RunningWorker, startWorker, type WorkerOptions } from '../../../shared/queue/worker.ts';
import { connectRedis } from '../../../shared/store/redis.ts';

export const job: GuardJob = { v: 1, kind: 'wake', changeRequest: { forge: 'main', projectId: 1, number: 2 } };

export type LogLine = Readonly<Record<string, unknown>>;

export type WorkerStage = {
  readonly queues: Queues;
  readonly worker: RunningWorker;
  /** Codes of the jobs that have ended without success. */
  readonly exhausted: string[];
  /** Executions that have ended, in their order. */
  readonly executions: { readonly seconds: number; readonly outcome: string }[];
  readonly lines: LogLine[];
  /** Resolves with the job's state once it is none of waiting, active or delayed. */
  readonly ended: (jobId: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

export type StageOptions = Partial<Omit<WorkerOptions<'guard'>, 'name' | 'connection' | 'handle' | 'log'>> & {
  readonly attempts?: number;
  /** False: nobody is told of a job that has ended without success. */
  readonly isHeard?: boolean;
};

export const newPrefix = (): string => `{${randomBytes(6).toString('hex')}}`;

export const startStage = (
  url: string,
  handle: Handler<'guard'>,
  { attempts = 3, isHeard = true, prefix = newPrefix(), ...options }: StageOptions = {},
): WorkerStage => {
  const connection = connectRedis(url, 'worker');
  const queues = createQueues(connection, prefix, { attempts, backoffMs: 1 });
  const exhausted: string[] = [];
  const executions: { readonly seconds: number; readonly outcome: string }[] = [];
  const lines: LogLine[] = [];
  const worker = startWorker<'guard'>({
    name: 'guard',
    connection,
    prefix,
    concurrency: 2,
    lockMs: 5_000,
    stalledMs: 5_000,
    log: pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    handle,
    ...(isHeard ? { onExhausted: async (_payload, code) => void exhausted.push(code) } : {}),
    onEnded: (seconds, outcome) => void executions.push({ seconds, outcome }),
    ...options,
  });
  const ended = async (jobId: string): Promise<string> => {
    let state = '';
    const look = async (): Promise<boolean> => {
      state = (await (await queues.queue('guard').getJob(jobId))?.getState()) ?? 'gone';
      return state === 'completed' || state === 'failed';
    };
    await expect.poll(look, { timeout: 20_000, interval: 5 }).toBe(true);
    return state;
  };
  const close = async (): Promise<void> => {
    await worker.close(2_000);
    await queues.close();
    connection.disconnect();
  };
  return { queues, exhausted, executions, lines, worker, ended, close };
};

export class Refusal extends AppError {
  constructor(disposition: Disposition) {
    super({ code: 'REFUSAL', message: 'refused', disposition });
  }
}
