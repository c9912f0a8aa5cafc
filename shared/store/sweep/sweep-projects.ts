import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keys } from '../keys.ts';

export const KnownProject = z.object({
  id: z.number().int().positive(),
  /** When the id was looked up, epoch ms. */
  foundAtMs: z.number().int(),
  /** Newest change in the project's list of open change requests, epoch ms; 0 when the list is empty. */
  activeAtMs: z.number().int(),
});
export type KnownProject = z.output<typeof KnownProject>;

/** Caches the project of each configured path, so that no sweep looks it up again. Paths ignore case. */
export type KnownProjects = {
  all(forge: string): Promise<ReadonlyMap<string, KnownProject>>;
  save(forge: string, path: string, project: KnownProject): Promise<void>;
  forget(forge: string, path: string): Promise<void>;
};

export const createKnownProjects = (redis: Redis, keys: Keys): KnownProjects => ({
  all: async (forge) => {
    const stored = await redis.hgetall(keys.ofForge(forge, 'project-ids'));
    const entries = Object.entries(stored).flatMap(([path, text]) => {
      const parsed = KnownProject.safeParse(JSON.parse(text));
      return parsed.success ? [[path, parsed.data] as const] : [];
    });
    return new Map(entries);
  },
  save: async (forge, path, project) => {
    await redis.hset(keys.ofForge(forge, 'project-ids'), path.toLowerCase(), JSON.stringify(project));
  },
  forget: async (forge, path) => void (await redis.hdel(keys.ofForge(forge, 'project-ids'), path.toLowerCase())),
});
