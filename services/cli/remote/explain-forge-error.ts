import type { AppError } from '../../../shared/errors.ts';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import { factsOf, type ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type NamedForge = { readonly kind: ForgeKind; readonly baseUrl: string; readonly tokenEnv: string };

/** Describes in one sentence what the forge refused. Other errors are returned unchanged. */
export const explainForgeError = (error: unknown, { kind, baseUrl, tokenEnv }: NamedForge): unknown => {
  if (!(error instanceof ForgeRequestError)) return error;
  if (error.code === 'FORGE_ABORTED') return error;
  if (error.code === 'FORGE_UNAUTHORISED') return new UsageError(`${baseUrl} does not accept the token in ${tokenEnv}`);
  if (error.code === 'FORGE_FORBIDDEN') {
    const { tokenScopes } = factsOf(kind);
    return new UsageError(`the token in ${tokenEnv} lacks permission${answerOf(error)}: give the token ${tokenScopes}`);
  }
  return new UsageError(`${baseUrl}: ${error.message} (${error.code})`);
};

const answerOf = ({ fields }: AppError): string => {
  const words = fields['explanation'];
  return typeof words === 'string' ? ` (answer: ${words})` : '';
};
