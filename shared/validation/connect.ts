import type { Config } from '../config/load.ts';
import { secretValues } from '../config/loaded/secret-values.ts';
import { longestValidationS } from '../config/validation-settings.ts';
import type { ValidationResult } from '../rounds/model/validations.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import { projectIn } from '../runtime/settings-of-brief.ts';
import { createRedactor } from '../text/redact.ts';
import type { Cage } from '../workspace/cage/cage.ts';
import { commandsFor, validate, type ValidatedHead } from './validate.ts';

export type ValidatedProject = {
  readonly changeRequest: ChangeRequest;
  readonly gitUrl: string;
};

export type HeadToValidate = Omit<ValidatedHead, 'project'> & ValidatedProject;

export type Validation = {
  /** Results of the operator's commands on a head. Returns null when the head is no longer wanted. */
  readonly validate: (head: HeadToValidate, signal: AbortSignal) => Promise<readonly ValidationResult[] | null>;
  /** Returns false when no command would run. Without a cage it is always false. */
  readonly canValidate: (of: ValidatedProject) => boolean;
  readonly validationS: number;
};

type Connecting = { readonly cage: Cage | null; readonly checkoutFolder: string };

export const connectValidation = (config: Config, { cage, checkoutFolder }: Connecting): Validation => {
  const redact = createRedactor(secretValues(config.secrets));
  const { command: commands } = config.validation;
  const nowMs = (): number => performance.now();
  const projectOf = ({ changeRequest, gitUrl }: ValidatedProject): string => {
    const { baseUrl = '' } = config.forges.find(({ id }) => id === changeRequest.forge) ?? {};
    return projectIn(gitUrl, baseUrl);
  };
  return {
    validationS: longestValidationS(config.validation),
    canValidate: (of) => cage !== null && commandsFor(commands, projectOf(of)).length > 0,
    validate: async ({ changeRequest, gitUrl, ...head }, signal) => {
      const project = projectOf({ changeRequest, gitUrl });
      return validate({ ...head, project }, { cage, commands, checkoutFolder, redact, nowMs }, signal);
    },
  };
};
