/** The cage that the configuration asks for: for every service whose tools or commands run in one. */
import type { Config } from './config/load.ts';
import { AppError } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Cage } from './workspace/cage.ts';
import { type CageWish, findCage, type FoundCage } from './workspace/find-cage.ts';

/** `sandbox.required` is set and this machine has no cage that holds. */
export class CageMissingError extends AppError {
  constructor(reasons: readonly string[]) {
    super({
      code: 'CAGE_MISSING',
      message: `sandbox.required is set and there is no cage: ${reasons.join('; ')}`,
      disposition: { kind: 'fail' },
    });
  }
}

const MEGABYTE = 1024 * 1024;

export const cageWishOf = (config: Pick<Config, 'sandbox' | 'dataDir'>, path: string | undefined): CageWish => ({
  dataFolder: config.dataDir,
  path: path ?? '',
  uid: config.sandbox.uid,
  limits: {
    processes: config.sandbox.maxProcesses,
    memoryBytes: config.sandbox.memoryMb * MEGABYTE,
    scratchBytes: config.sandbox.scratchMb * MEGABYTE,
  },
  readOnlyPaths: config.sandbox.readOnlyPaths,
});

type Connecting = {
  readonly config: Pick<Config, 'sandbox' | 'dataDir'>;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** `PATH` of the process. */
  readonly path: string | undefined;
};

/** What goes without a cage, in the words of `readyz`. */
export const uncagedNotice = (reasons: readonly string[]): string =>
  `there is no cage (${reasons.join('; ')}): Bash and validation commands are off, and Read, Glob and Grep run in the service itself`;

/**
 * Why there is none is logged loudly, unless the operator has decided so. @throws CageMissingError when one is required,
 * and `signal.reason`.
 */
export const connectCage = async ({ config, log, path }: Connecting, signal: AbortSignal): Promise<FoundCage> => {
  if (config.sandbox.backend === 'none') return { kind: 'none', reasons: ['sandbox.backend is "none"'] };
  const found = await findCage(cageWishOf(config, path), signal);
  if (found.kind === 'caged') {
    log.info('the cage has been checked and holds');
    return found;
  }
  if (config.sandbox.required) throw new CageMissingError(found.reasons);
  log.warn({ reasons: found.reasons }, 'there is no cage: Bash and validation commands are off');
  return found;
};

export const cageOf = (found: FoundCage): Cage | null => (found.kind === 'caged' ? found.cage : null);
