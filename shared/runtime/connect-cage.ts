import type { Config } from '../config/load.ts';
import { AppError } from '../errors.ts';
import type { ServiceContext } from './service-context.ts';
import type { Cage } from '../workspace/cage/cage.ts';
import { type CageWish, findCage, type FoundCage } from '../workspace/cage/find-cage.ts';

/** `sandbox.required` is set, but no cage on this machine passed its test. */
export class CageMissingError extends AppError {
  constructor(reasons: readonly string[]) {
    super({
      code: 'CAGE_MISSING',
      message: `sandbox.required is set but no cage is available: ${reasons.join('; ')}`,
      disposition: { kind: 'fail' },
    });
  }
}

const MEGABYTE = 1024 * 1024;

export type SandboxPlace = Pick<Config, 'sandbox' | 'dataDir'>;

export const cageWishOf = (config: SandboxPlace, path: string | undefined): CageWish => ({
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

/** `off` when the configuration disables the cage. @throws CageMissingError when a cage is required, and `signal.reason`. */
export const lookForCage = async (
  config: SandboxPlace,
  path: string | undefined,
  signal: AbortSignal,
): Promise<FoundCage | { readonly kind: 'off' }> => {
  const { backend, required } = config.sandbox;
  if (backend === 'none') return { kind: 'off' };
  const found = await findCage(cageWishOf(config, path), signal);
  if (found.kind === 'none' && required) throw new CageMissingError(found.reasons);
  return found;
};

export type CageNeed = {
  readonly path: string | undefined;
  /** True when something that this service is configured to run needs a cage. */
  readonly needed: boolean;
};

export type ConnectedCage = {
  readonly cage: Cage | null;
  /** Disabled features, for `readyz`. */
  readonly notices: readonly string[];
};

const WITHOUT =
  'Bash, validation commands and analyzers are disabled, and the service itself opens files for Read, Glob and Grep';

/** Warns when there is no cage, unless the operator disabled the cage. @throws CageMissingError if required, `signal.reason`. */
export const connectCage = async (
  { config, log, signal }: Pick<ServiceContext, 'config' | 'log' | 'signal'>,
  { path, needed }: CageNeed,
): Promise<ConnectedCage> => {
  if (!needed && !config.sandbox.required) return { cage: null, notices: [] };
  const found = await lookForCage(config, path, signal);
  if (found.kind === 'off') return { cage: null, notices: [`sandbox.backend is "none": ${WITHOUT}`] };
  if (found.kind === 'caged') {
    log.info('cage is ready');
    return { cage: found.cage, notices: [] };
  }
  const { reasons } = found;
  log.warn({ reasons }, `no cage is available: ${WITHOUT}`);
  return { cage: null, notices: [`no cage is available (${reasons.join('; ')}): ${WITHOUT}`] };
};
