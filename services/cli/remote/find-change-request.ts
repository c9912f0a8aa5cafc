/** The change request that a person names to a command of an installation, in every form of `fixpoint review`. */
import { readFile } from 'node:fs/promises';
import type { Config } from '../../../shared/config/load.ts';
import { checkToken } from '../../../shared/config/secret-rules.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { readOrigin } from '../address/origin-address.ts';
import type { Address } from '../address/parse-address.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { readEnvFile } from '../variables/with-env-file.ts';
import { findConfiguredForge } from './configured-forge.ts';
import { explainForgeError } from './explain-forge-error.ts';
import { lookUp } from './look-up.ts';

export type Naming = {
  readonly address: Address;
  readonly config: Config;
  /** Path of the configuration, which errors name. */
  readonly file: string;
  /** The variables of the environment file beside `file` are added. */
  readonly env: Environment;
};

/**
 * Asks the forge only when the address has a project's name instead of its number.
 * @throws UsageError, one sentence
 */
export const findChangeRequest = async (
  { address, config, file, env }: Naming,
  signal: AbortSignal,
): Promise<ChangeRequest> => {
  const clone = { directory: '.', searchPath: env['PATH'] ?? '' };
  const configuration = { forges: config.forges, file, readOrigin: async () => readOrigin(clone, signal) };
  const { forge, project } = await findConfiguredForge(address, configuration);
  const { number } = address;
  if (typeof project === 'number') return { forge: forge.id, projectId: project, number };
  const { kind, baseUrl, proxy } = forge;
  const tokenEnv = forge.readTokenEnv ?? forge.tokenEnv ?? '';
  const token = tokenIn(readEnvFile({ path: file, env, needs: [] }).env, tokenEnv, forge);
  try {
    const ca = forge.caFile === null ? {} : { ca: await readFile(forge.caFile, 'utf8') };
    const connected = await connectForge({ id: forge.id, kind, baseUrl, token, proxy, ...ca }, signal);
    return (await lookUp({ forge, project, number }, connected, signal)).facts.changeRequest;
  } catch (error) {
    throw explainForgeError(error, { kind, baseUrl, tokenEnv });
  }
};

const tokenIn = (env: Environment, name: string, { id }: ForgeSettings): string => {
  const token = env[name] ?? '';
  if (token === '')
    throw new UsageError(`the project's number is looked up on the forge "${id}": set its token in ${name}`);
  const mistake = checkToken(token);
  if (mistake !== null) throw new UsageError(`the environment variable ${name} ${mistake}`);
  return token;
};
