/** Reads the environment file (`.env`) beside the configuration, for the commands of an installation. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ConfigSource, loadConfig } from '../../../shared/config/load.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import { ALL_NEEDS, secretVariables } from '../../../shared/config/service-needs.ts';
import { unreadable } from '../terminal/usage-error.ts';
import { readVariables, type Variables } from './env-text.ts';

export type AddedVariables = {
  readonly env: Environment;
  /** The file whose variables were added; null when none was. */
  readonly path: string | null;
  /** Variables that have one value in the file and another in the environment, which takes precedence. */
  readonly overridden: readonly string[];
};

/**
 * Adds the variables that the configuration names and those of the services themselves, where the environment sets none.
 * All other variables of the file are ignored. Containers and single services have their own environment and do not use this.
 *
 * @throws `USAGE` when the file exists and cannot be read
 */
export const readEnvFile = (source: ConfigSource): AddedVariables => {
  const { env } = source;
  const unchanged: AddedVariables = { env, path: null, overridden: [] };
  if (!('path' in source)) return unchanged;
  const path = join(dirname(source.path), '.env');
  const text = readIfThere(path);
  if (text === null) return unchanged;
  const plain = loadConfig({ ...source, needs: [] });
  // An invalid configuration is reported by the command that loads it.
  if (!plain.ok) return unchanged;
  const variables = named(readVariables(text), secretVariables(plain.config, ALL_NEEDS));
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const added = Object.entries(variables).filter(([name]) => !isSet(name));
  return {
    env: { ...env, ...Object.fromEntries(added) },
    path: added.length === 0 ? null : path,
    overridden: Object.entries(variables).flatMap(([name, value]) =>
      isSet(name) && env[name] !== value ? [name] : [],
    ),
  };
};

export const withEnvFile = <Source extends ConfigSource>(source: Source): Source => ({
  ...source,
  env: readEnvFile(source).env,
});

const named = (variables: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name) || isOfServices(name)));

/** Where services listen, and their traces. `FIXPOINT_CONFIG` comes too late here. */
const isOfServices = (name: string): boolean =>
  name === 'FIXPOINT_LISTEN' || name === 'FIXPOINT_CONSOLE_LISTEN' || name.startsWith('OTEL_');

const readIfThere = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw unreadable(path, error);
  }
};
