/** Finds the token for a forge in the environment. Tokens are never arguments, which other users of the machine can see. */
import { checkToken } from '../../../shared/config/secret-rules.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import { EnvName } from '../../../shared/config/values.ts';
import { factsOf, type ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import { UsageError } from '../terminal/usage-error.ts';

/**
 * Returns the name of the variable with the token.
 * @throws UsageError when the variable is not set or holds no token; the message never quotes its value
 */
export const tokenVariable = (kind: ForgeKind, wanted: string | undefined, env: Environment): string => {
  const name = wanted ?? factsOf(kind).tokenEnv;
  if (!EnvName.safeParse(name).success)
    throw new UsageError(
      '--token-env: expected the name of an environment variable (A-Z, 0-9 and _), not the token itself',
    );
  const value = env[name] ?? '';
  if (value === '')
    throw new UsageError(
      `the forge is a ${factsOf(kind).name}: set its token in ${name}${wanted === undefined ? ', or name another variable with --token-env' : ''}`,
    );
  const mistake = checkToken(value);
  if (mistake !== null) throw new UsageError(`the environment variable ${name} ${mistake}`);
  return name;
};
