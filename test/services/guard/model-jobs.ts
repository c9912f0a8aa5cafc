/** A queue in memory, with a clock of its own: at least once, in any order, and forgotten with Redis. */
import type { Enqueue } from '../../../shared/queue/enqueue.ts';
import { type PayloadOf, type QueueName, QUEUES } from '../../../shared/queue/contracts.ts';

export type ModelJob = {
  readonly [Name in QueueName]: { readonly name: Name; readonly payload: PayloadOf<Name> };
}[QueueName];

export type WaitingJob = {
  readonly id: string;
  readonly job: ModelJob;
  readonly dueMs: number;
  readonly tries: number;
};

export type ModelJobs = {
  readonly enqueue: Enqueue;
  readonly nowMs: () => number;
  readonly forget: () => void;
  /** Adds it again, for later. */
  readonly again: (job: WaitingJob, delayMs: number) => void;
  /** One that is due, by `choice`; else the clock goes on to the next one. Null: none is left. */
  readonly take: (choice: number) => WaitingJob | null;
};

const START_MS = 1_000_000;

export const createModelJobs = (): ModelJobs => {
  let nowMs = START_MS;
  let waiting: readonly WaitingJob[] = [];
  const known = new Set<string>();
  return {
    nowMs: () => nowMs,
    enqueue: async (name, payload, { jobId, delayMs = 0 }) => {
      QUEUES[name].payload.parse(payload);
      if (known.has(jobId)) return;
      known.add(jobId);
      // The contract pairs each name with its payload.
      const job = { name, payload } as unknown as ModelJob;
      waiting = [...waiting, { id: jobId, job, dueMs: nowMs + delayMs, tries: 0 }];
    },
    forget: () => {
      waiting = [];
      known.clear();
    },
    again: (job, delayMs) => {
      waiting = [...waiting, { ...job, dueMs: nowMs + delayMs, tries: job.tries + 1 }];
    },
    take: (choice) => {
      if (waiting.length === 0) return null;
      nowMs = Math.max(nowMs, Math.min(...waiting.map(({ dueMs }) => dueMs)));
      const due = waiting.filter(({ dueMs }) => dueMs <= nowMs);
      const taken = due[choice % due.length] ?? null;
      waiting = waiting.filter((each) => each !== taken);
      return taken;
    },
  };
};
