/** The cage of a review on the command line: sought as a service seeks it, with a folder that goes away with the review. */
import { chmod } from 'node:fs/promises';
import { findConfigPath, loadConfig } from '../../../shared/config/load.ts';
import { Sandbox } from '../../../shared/config/sandbox-settings.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import { lookForCage } from '../../../shared/runtime/connect-cage.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import type { LocalReviewer } from './local-runners.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type CageSearch = {
  /** Of the file whose `[sandbox]` holds; undefined: the one that the environment names, if it does. */
  readonly configPath: string | undefined;
  /** `PATH`, on which bubblewrap is looked for, and `FIXPOINT_CONFIG`. */
  readonly env: Environment;
  /** Contract: must not throw. Told in one line what the review goes without. */
  readonly onNotice: (line: string) => void;
};

/**
 * A file that only lies in the working directory is not read: more often than not it is part of what is reviewed.
 * @throws UsageError
 */
export const sandboxOf = ({ configPath, env }: Pick<CageSearch, 'configPath' | 'env'>): Sandbox => {
  if ((configPath ?? env['FIXPOINT_CONFIG'] ?? '') === '') return Sandbox.parse({});
  const loaded = loadConfig({ path: findConfigPath(configPath, env), env, needs: [] });
  if (!loaded.ok) throw new UsageError(loaded.problems.join('\n'));
  return loaded.config.sandbox;
};

const WITHOUT = 'Bash is disabled, and this process itself opens files for the model';

/** Where we are root the account of the cage must pass through; nobody can list what lies there. */
const SCRATCH_MODE = 0o711;

/**
 * For the one reviewer whose tools are ours; null for the others, and where there is none. Everything that the cage is
 * to see must lie below `folder`, a private one of this review.
 * @throws CageMissingError where `sandbox.required` is set and there is none; UsageError; `signal.reason`.
 */
export const findLocalCage = async (
  search: CageSearch,
  { reviewer, folder }: { readonly reviewer: LocalReviewer; readonly folder: string },
  signal: AbortSignal,
): Promise<Cage | null> => {
  if (reviewer.kind !== 'agent') return null;
  const sandbox = sandboxOf(search);
  if (process.getuid?.() === 0) await chmod(folder, SCRATCH_MODE);
  const found = await lookForCage({ sandbox, dataDir: folder }, search.env['PATH'], signal);
  if (found.kind === 'caged') return found.cage;
  const why = found.kind === 'off' ? 'sandbox.backend is "none"' : `no cage is available (${found.reasons.join('; ')})`;
  search.onNotice(`${why}: ${WITHOUT}`.replaceAll(/\s+/g, ' '));
  return null;
};
