/** Reads the existing files of an installation. */
import { dirname, join, resolve } from 'node:path';
import { type Config, findConfigPath, loadConfig } from '../../../shared/config/load.ts';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import { ANY_KIND } from '../../../shared/forge/kinds/forge-kind.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { SetupContext } from './context.ts';
import { readIfThere } from './files.ts';
import { readVariables, type Variables } from '../variables/env-text.ts';
import { hasForges, withForge } from './plan/config-text.ts';
import { type FileFacts, SETUP_TOKEN } from './plan/facts.ts';
import { sameAddress } from './plan/plan-hooks.ts';
import { loadRecord, type SetupRecord } from './record.ts';
import type { SetupOptions } from './setup-options.ts';

export type FoundFiles = {
  readonly config: FileFacts;
  /** The settings without secrets. Null when the file does not exist. */
  readonly settings: Config | null;
  /** The `[[forge]]` table that setup works on. Null when it does not exist yet. */
  readonly configured: ForgeSettings | null;
  readonly env: FileFacts;
  /** Values from the environment file, then from the environment, because services read the file. */
  readonly variables: Variables;
  readonly recordPath: string;
  readonly record: SetupRecord;
};

const RECORD = 'fixpoint.setup.json';

/** @throws `USAGE` for files that cannot be read, and when it is unclear which forge is meant */
export const readSituation = async (options: SetupOptions, { env }: SetupContext): Promise<FoundFiles> => {
  const configPath = findConfigPath(options.config, env);
  const folder = dirname(configPath);
  const config = await readIfThere(configPath);
  // Absolute, because the record may be read from another folder.
  const variables = await readIfThere(options.envFile === undefined ? join(folder, '.env') : resolve(options.envFile));
  const recordPath = join(folder, RECORD);
  const settings = config.text === null || isBlank(config.text) ? null : loadPresent(configPath, config.text);
  return {
    config,
    settings,
    configured: settings === null ? null : chooseForge(settings.forges, options),
    env: variables,
    variables: { ...setIn(env), ...readVariables(variables.text ?? '') },
    recordPath,
    record: await loadRecord(recordPath),
  };
};

const isBlank = (text: string): boolean => text.trim() === '';

const loadPresent = (path: string, text: string): Config => {
  const loaded = loadConfig({ path, env: {}, needs: [] });
  if (loaded.ok) return loaded.config;
  const withoutForge = hasForges(text) ? null : loadWithoutForge(path, text);
  if (withoutForge !== null) return withoutForge;
  throw new UsageError(`correct ${path} first:\n${loaded.problems.join('\n')}`);
};

/** A file with other settings, to which setup adds the first forge. Null if these settings are wrong. */
const loadWithoutForge = (path: string, text: string): Config | null => {
  const loaded = loadConfig({ text: withForge(text, STAND_IN), folder: dirname(path), env: {}, needs: [] });
  return loaded.ok ? { ...loaded.config, forges: [] } : null;
};

/** Makes the rest of the file valid while it is read, because a configuration needs a forge. */
const STAND_IN = {
  forge: { id: 'none', kind: ANY_KIND, baseUrl: 'https://forge.invalid', caFile: null },
  projects: ['*'],
  tokenEnv: SETUP_TOKEN,
  secretEnvs: [SETUP_TOKEN],
  listen: null,
} as const;

const setIn = (env: SetupContext['env']): Variables =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );

/** Chooses a configured forge by id, by address, or because it is the only one. */
export const chooseForge = (
  forges: readonly ForgeSettings[],
  { id, url }: Pick<SetupOptions, 'id' | 'url'>,
): ForgeSettings | null => {
  if (id !== undefined) {
    const named = forges.find((forge) => forge.id === id) ?? null;
    if (named !== null && url !== undefined && !sameAddress(named.baseUrl, url))
      throw new UsageError(`the configuration has a forge "${id}" at ${named.baseUrl}; choose another --id`);
    return named;
  }
  if (url !== undefined) return forges.find(({ baseUrl }) => sameAddress(baseUrl, url)) ?? null;
  const [only, ...others] = forges;
  if (others.length > 0)
    throw new UsageError(`name one of the forges with --id: ${forges.map((forge) => forge.id).join(', ')}`);
  return only ?? null;
};
