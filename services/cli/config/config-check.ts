import { findConfigPath } from '../../../shared/config/load.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';

export type ConfigCheckOptions = { readonly config?: string };

/** `fixpoint config check`: reads the file as every service does, but without secrets. @throws UsageError with all mistakes */
export const checkConfig = async ({ config }: ConfigCheckOptions): Promise<number> => {
  const path = findConfigPath(config, process.env);
  const { forges, project, messages } = loadOrThrow({ path, env: process.env, needs: [] });
  const counted = [
    [forges.length, 'forge'],
    [project.length, 'project'],
    [messages.client.length, 'messages.client'],
  ] as const;
  const tables = counted.filter(([count]) => count > 0).map(([count, table]) => `${count} [[${table}]]`);
  process.stdout.write(`${path}: no mistakes; ${tables.join(' and ')}\n`);
  return 0;
};
