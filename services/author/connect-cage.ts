import { everySettings } from '../../shared/config/project-settings.ts';
import { lookForCage } from '../../shared/runtime/connect-cage.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import type { Cage } from '../../shared/workspace/cage/cage.ts';

export type AuthorCage = {
  readonly cage: Cage | null;
  /** False if a cage is required but not available on this machine. */
  readonly mayWork: boolean;
  /** Notices about missing isolation, shown at `readyz`. */
  readonly notices: readonly string[];
};

const OFF = 'the author is disabled, and each requested fix is handed to a human (NO_CAGE)';
const OUTSIDE = 'the author works without a cage';
const UNTRIED = `${OUTSIDE}, and validation commands are not run on its fixes`;

/** Logs and reports that the author is disabled or has no cage. @throws CageMissingError if a cage is required; the signal's reason. */
export const connectAuthorCage = async (
  { config, log, signal }: Pick<ServiceContext, 'config' | 'log' | 'signal'>,
  searchPath: string | undefined,
): Promise<AuthorCage> => {
  const found = await lookForCage(config, searchPath, signal);
  switch (found.kind) {
    case 'caged':
      log.info('cage is ready');
      return { cage: found.cage, mayWork: true, notices: [] };
    case 'off': {
      const without = `sandbox.backend is "none": ${everySettings(config).some(({ validation }) => validation.command.length > 0) ? UNTRIED : OUTSIDE}`;
      log.warn(without);
      return { cage: null, mayWork: true, notices: [without] };
    }
    case 'none': {
      const { reasons } = found;
      log.error({ reasons }, `no cage is available: ${OFF}`);
      return { cage: null, mayWork: false, notices: [`no cage is available (${reasons.join('; ')}): ${OFF}`] };
    }
    default:
      return found satisfies never;
  }
};
