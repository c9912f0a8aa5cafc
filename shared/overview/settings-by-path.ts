import type { Redis } from 'ioredis';
import { settingsOf, type WithSections } from '../config/project-settings.ts';
import { createKnownPaths } from '../store/known-paths.ts';
import type { Keys } from '../store/keys.ts';

type ProjectId = { readonly forge: string; readonly projectId: number };

/**
 * Finds the settings of a project by the path that guard last read, without a request to the forge. Until guard has read
 * a change request of the project, they are those of the installation.
 */
export const createSettingsByPath = <Settings extends WithSections>(
  redis: Redis,
  keys: Keys,
  config: Settings,
): ((project: ProjectId) => Promise<Settings>) => {
  const paths = createKnownPaths(redis, keys);
  return async ({ forge, projectId }) => {
    if (config.project.length === 0) return config;
    const path = await paths.load({ forge, projectId });
    return path === null ? config : settingsOf(config, { forge, path });
  };
};
