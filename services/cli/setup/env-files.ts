/**
 * `fixpoint env-files`: the environment files that `docker-compose.yml` reads, one for each container. Because of
 * them, the compose file names no forge, and no service has the secrets of another one.
 */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findConfigPath, loadConfig } from '../../../shared/config/load.ts';
import type { Need } from '../../../shared/config/secrets.ts';
import { SERVICE_NEEDS, servicesOf } from '../../../shared/config/service-needs.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { readIfThere, replaceFile } from './files.ts';
import {
  type ContainerEnv,
  containerEnvs,
  containerEnvText,
  type KnownVariables,
  withContainerRedis,
} from './plan/container-env.ts';
import { kubernetesSecrets } from './plan/kubernetes-secrets.ts';
import { readVariables, type Variables } from '../variables/env-text.ts';

export type EnvFilesOptions = {
  readonly config?: string;
  readonly envFile?: string;
  readonly check?: boolean;
  readonly kubernetes?: boolean;
};

/** Below the folder of the configuration, as in `docker-compose.yml`. */
const FOLDER = '.env.d';

export type EnvFile = { readonly path: string; readonly text: string };

/**
 * Returns the exit code: 0 if the files are up to date, 1 if a file differs. @throws `USAGE` for a wrong configuration
 * and missing variables
 */
export const envFiles = async ({ config, envFile, check, kubernetes }: EnvFilesOptions): Promise<number> => {
  if (check === true && kubernetes === true) throw new UsageError('--check compares files; --kubernetes writes none');
  const configPath = findConfigPath(config, process.env);
  const envPath = envFile ?? join(dirname(configPath), '.env');
  const { text } = await readIfThere(envPath);
  if (text === null && envFile !== undefined) throw new UsageError(`${envPath} cannot be read: file not found`);
  const inFile = readVariables(text ?? '');
  const known = { all: { ...setVariables(), ...inFile }, inFile };
  if (kubernetes === true) {
    process.stdout.write(kubernetesSecrets(loadContainerEnvs(configPath, known)));
    return 0;
  }
  const files = wantedEnvFiles(configPath, known);
  const changed = await differingFiles(files);
  for (const { path, text: wanted } of check === true ? [] : changed) {
    await makeEnvFolder(path);
    await replaceFile(path, wanted, OWNER_ONLY);
  }
  const verb = check === true ? 'differs' : 'written';
  process.stdout.write(changed.map(({ path }) => `${path}: ${verb}\n`).join('') || `${FOLDER} is up to date\n`);
  return check === true && changed.length > 0 ? 1 : 0;
};

const setVariables = (): Variables =>
  Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** @throws `USAGE` with every problem of the configuration and of the variables */
export const wantedEnvFiles = (configPath: string, known: KnownVariables): readonly EnvFile[] =>
  textsOf(loadContainerEnvs(configPath, known)).map(({ name, text }) => ({
    path: join(dirname(configPath), FOLDER, `${name}.env`),
    text,
  }));

/** @throws `USAGE` */
const loadContainerEnvs = (configPath: string, { all, inFile }: KnownVariables): readonly ContainerEnv[] => {
  const plain = loadOrThrow({ path: configPath, env: {}, needs: [] });
  const redis = withContainerRedis(plain, all);
  if ('problem' in redis) throw new UsageError(redis.problem);
  const { variables: env } = redis;
  const needs = [...new Set(servicesOf(plain).flatMap((name): readonly Need[] => SERVICE_NEEDS[name]))];
  const loaded = loadConfig({ path: configPath, env, needs });
  if (!loaded.ok) throw new UsageError(loaded.problems.join('\n'));
  return containerEnvs(loaded.config, { all: env, inFile });
};

const textsOf = (envs: readonly ContainerEnv[]) => {
  const all = envs.map((one) => ({ name: one.name, written: containerEnvText(one) }));
  const refused = all.flatMap(({ written }) => ('unwritable' in written ? written.unwritable : []));
  if (refused.length > 0)
    throw new UsageError(
      [...new Set(refused)]
        .map(
          (name) =>
            `${name}: its value contains a quote or a line feed, or ends with a backslash, which Docker cannot read`,
        )
        .join('\n'),
    );
  return all.flatMap(({ name, written }) => ('text' in written ? [{ name, text: written.text }] : []));
};

export const OWNER_ONLY = 0o600;

export const differingFiles = async (files: readonly EnvFile[]): Promise<readonly EnvFile[]> => {
  const found = await Promise.all(files.map(async ({ path }) => readIfThere(path)));
  return files.filter(({ text }, index) => found[index]?.text !== text || found[index].mode !== OWNER_ONLY);
};

export const makeEnvFolder = async (file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
};
