import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keys } from '../keys.ts';
import { parseStored } from '../parse-stored.ts';

/** A project that this pass has not checked yet. The id is null until a configured path has been looked up. */
export const PendingProject = z.object({ id: z.number().int().positive().nullable(), path: z.string() });
export type PendingProject = z.output<typeof PendingProject>;

/** One pass over the projects of a forge, continued by repeated executions of one job. */
export const SweepProgress = z.object({
  v: z.literal(1),
  jobId: z.string(),
  startedAtMs: z.number().int(),
  /** No request is sent before this time (epoch ms). */
  resumeAtMs: z.number().int(),
  /** After this time (epoch ms) the job counts as dead, and another job may continue. */
  aliveUntilMs: z.number().int(),
});
export type SweepProgress = z.output<typeof SweepProgress>;

/** If the progress is lost, the next pass checks every project. Contract: written only under the sweep's lock of the forge. */
export type SweepProgressStore = {
  load(forge: string): Promise<SweepProgress | null>;
  save(forge: string, progress: SweepProgress): Promise<void>;
  /** Deletes the progress. Pending projects are kept for the next sweep. */
  clear(forge: string): Promise<void>;
  pending(forge: string): Promise<readonly PendingProject[]>;
  replacePending(forge: string, projects: readonly PendingProject[]): Promise<void>;
  nextPending(forge: string): Promise<PendingProject | null>;
  dropNext(forge: string): Promise<void>;
};

const KEEP_S = 7 * 24 * 3600;

export const createSweepProgress = (redis: Redis, keys: Keys): SweepProgressStore => {
  const listOf = (forge: string): string => keys.ofForge(forge, 'sweep-pending');
  return {
    load: async (forge) => parseStored(SweepProgress, await redis.get(keys.ofForge(forge, 'sweep-progress'))),
    save: async (forge, progress) => {
      await redis.set(keys.ofForge(forge, 'sweep-progress'), JSON.stringify(progress), 'EX', KEEP_S);
    },
    clear: async (forge) => void (await redis.del(keys.ofForge(forge, 'sweep-progress'))),
    pending: async (forge) => {
      const texts = await redis.lrange(listOf(forge), 0, -1);
      return texts.map((text) => parseStored(PendingProject, text)).filter((each) => each !== null);
    },
    replacePending: async (forge, projects) => {
      const pipeline = redis.multi().del(listOf(forge));
      for (const project of projects) pipeline.rpush(listOf(forge), JSON.stringify(project));
      await pipeline.expire(listOf(forge), KEEP_S).exec();
    },
    nextPending: async (forge) => parseStored(PendingProject, await redis.lindex(listOf(forge), 0)),
    dropNext: async (forge) => void (await redis.lpop(listOf(forge))),
  };
};
