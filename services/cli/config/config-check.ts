import { findConfigPath } from '../../../shared/config/load.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';

export type ConfigCheckOptions = { readonly config?: string };

/** `fixpoint config check`: reads the file as every service does, but without secrets. @throws UsageError with all mistakes */
export const checkConfig = async ({ config }: ConfigCheckOptions): Promise<number> => {
  const path = findConfigPath(config, process.env);
  const { forges, project } = loadOrThrow({ path, env: process.env, needs: [] });
  const sections = project.length === 0 ? '' : ` and ${project.length} [[project]]`;
  process.stdout.write(`${path}: no mistakes; ${forges.length} [[forge]]${sections}\n`);
  return 0;
};
