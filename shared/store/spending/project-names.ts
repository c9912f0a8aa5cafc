import type { Redis } from 'ioredis';
import { SPENDING_KEEP_S } from './spending-record.ts';

export type ProjectId = { readonly forge: string; readonly projectId: number };

/** The readable paths of projects, as the last review of each project saw them. They are shown and never used as addresses. */
export type ProjectNames = {
  save(of: ProjectId, name: string): Promise<void>;
  /** One name per id, in the same order; null for a project whose name is not stored. */
  load(of: readonly ProjectId[]): Promise<readonly (string | null)[]>;
};

const MAX_NAME = 500;

export const createProjectNames = (redis: Redis, prefix: string): ProjectNames => {
  const key = ({ forge, projectId }: ProjectId): string => `{${prefix}}:project:${forge}.${projectId}:name`;
  return {
    save: async (of, name) => {
      await redis.set(key(of), name.slice(0, MAX_NAME), 'EX', SPENDING_KEEP_S);
    },
    load: async (of) => (of.length === 0 ? [] : redis.mget(of.map(key))),
  };
};
