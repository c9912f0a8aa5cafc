import type { Redis } from 'ioredis';
import type { SpendingRow } from './read-spending.ts';
import { type NamesById, projectKey } from './sum-spending.ts';
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

/** The stored names of the projects of these rows. */
export const loadNames = async (
  rows: readonly SpendingRow[],
  names: Pick<ProjectNames, 'load'>,
): Promise<NamesById> => {
  const projects = [...new Map(rows.map((row) => [projectKey(row), row])).values()];
  const found = await names.load(projects);
  return new Map(
    projects.flatMap((project, index): readonly [string, string][] => {
      const name = found[index];
      return typeof name === 'string' ? [[projectKey(project), name]] : [];
    }),
  );
};
