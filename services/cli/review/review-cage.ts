/** Finds the cage for a review on the command line, as a service does, with a folder that is removed with the review. */
import { chmod } from 'node:fs/promises';
import { type Config, findConfigPath } from '../../../shared/config/load.ts';
import { Sandbox } from '../../../shared/config/sandbox-settings.ts';
import type { Environment } from '../../../shared/config/secrets.ts';
import { lookForCage } from '../../../shared/runtime/connect-cage.ts';
import type { Cage } from '../../../shared/workspace/cage/cage.ts';
import type { LocalReviewer } from './local-runners.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';

export type CageSearch = {
  /** Path of the file whose `[sandbox]` applies. When undefined, `FIXPOINT_CONFIG` names the file, if it is set. */
  readonly configPath: string | undefined;
  /** Provides `FIXPOINT_CONFIG`, and `PATH`, in which bubblewrap is looked up. */
  readonly env: Environment;
  /** Contract: receives one line about what is not available to the review. Must not throw. */
  readonly onNotice: (line: string) => void;
};

/** Ignores a `fixpoint.toml` in the working directory, because it may be part of what is reviewed. @throws UsageError */
export const namedConfig = ({ configPath, env }: Pick<CageSearch, 'configPath' | 'env'>): Config | null =>
  (configPath ?? env['FIXPOINT_CONFIG'] ?? '') === ''
    ? null
    : loadOrThrow({ path: findConfigPath(configPath, env), env, needs: [] });

/** @throws UsageError */
export const sandboxOf = (search: Pick<CageSearch, 'configPath' | 'env'>): Sandbox =>
  namedConfig(search)?.sandbox ?? Sandbox.parse({});

const WITHOUT = 'Bash is disabled, and this process itself opens files for the model';

/** If the process runs as root, the cage's account must be able to pass through the folder, but not to list it. */
const SCRATCH_MODE = 0o711;

export type CageUse = {
  readonly reviewer: LocalReviewer;
  readonly folder: string;
  /** Whether analyzers need the cage. Default: false. */
  readonly analyzes?: boolean | undefined;
};

/**
 * Null when no cage is available. Only analyzers and the reviewer `agent` need one: the tools of other reviewers are not
 * Fixpoint's own. All files that the cage may see must be below `folder`, which is private to this review.
 * @throws CageMissingError when `sandbox.required` is set and there is no cage; UsageError; `signal.reason`
 */
export const findLocalCage = async (
  search: CageSearch,
  { reviewer, folder, analyzes = false }: CageUse,
  signal: AbortSignal,
): Promise<Cage | null> => {
  if (reviewer.kind !== 'agent' && !analyzes) return null;
  const sandbox = sandboxOf(search);
  if (process.getuid?.() === 0) await chmod(folder, SCRATCH_MODE);
  const found = await lookForCage({ sandbox, dataDir: folder }, search.env['PATH'], signal);
  if (found.kind === 'caged') return found.cage;
  const why = found.kind === 'off' ? 'sandbox.backend is "none"' : `no cage is available (${found.reasons.join('; ')})`;
  const without = reviewer.kind === 'agent' ? WITHOUT : 'the analyzers cannot run';
  search.onNotice(`${why}: ${without}`.replaceAll(/\s+/g, ' '));
  return null;
};
