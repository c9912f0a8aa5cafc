/** The operator's validation commands, with everything that a server has for them. */
import type { Config } from '../../shared/config/load.ts';
import { longestValidationS } from '../../shared/config/validation-settings.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { secretValues } from '../../shared/config/secret-values.ts';
import type { Cage } from '../../shared/workspace/cage.ts';
import type { ReviewerDeps } from './deps.ts';
import { validate } from './validate.ts';

type Connecting = { readonly cage: Cage | null; readonly checkoutFolder: string };

export const connectValidation = (
  config: Config,
  { cage, checkoutFolder }: Connecting,
): Pick<ReviewerDeps, 'validate' | 'validationS'> => {
  const redact = createRedactor(secretValues(config.secrets));
  const { command: commands } = config.validation;
  const nowMs = (): number => performance.now();
  return {
    validationS: longestValidationS(config.validation),
    validate: async ({ changeRequest, gitUrl, ...head }, signal) => {
      const { baseUrl = '' } = config.forges.find(({ id }) => id === changeRequest.forge) ?? {};
      const project = projectIn(gitUrl, baseUrl);
      return validate({ ...head, project }, { cage, commands, checkoutFolder, redact, nowMs }, signal);
    },
  };
};

/** `owner/name` out of `https://forge.example/sub/owner/name.git`, for a forge below `/sub`. */
export const projectIn = (gitUrl: string, baseUrl: string): string => {
  const below = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, '') : '';
  const { pathname } = new URL(gitUrl);
  const path = pathname.startsWith(`${below}/`) ? pathname.slice(below.length) : pathname;
  return decodeURIComponent(path)
    .replace(/^\/+/, '')
    .replace(/\.git$/, '');
};
