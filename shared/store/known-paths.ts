/**
 * The path of each project as guard last read it from the forge. External programs with patterns may see a project only
 * by this path: a delivery is not proof enough, because whoever knows the webhook secret could name any project in it.
 */
import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';

type ProjectId = { readonly forge: string; readonly projectId: number };

export type KnownPaths = {
  save(of: ProjectId, path: string): Promise<void>;
  /** Null until guard has read a change request of the project. */
  load(of: ProjectId): Promise<string | null>;
};

/** A path is kept as long as messages are kept; every event of the project stores it again. */
const KEEP_S = 30 * 24 * 3600;

export const createKnownPaths = (redis: Redis, keys: Keys): KnownPaths => ({
  save: async ({ forge, projectId }, path) => {
    await redis.set(keys.ofProject(forge, projectId, 'path'), path, 'EX', KEEP_S);
  },
  load: async ({ forge, projectId }) => redis.get(keys.ofProject(forge, projectId, 'path')),
});
