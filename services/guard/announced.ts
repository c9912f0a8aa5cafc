/**
 * Reads the run that the head's status announces. Used if neither guard's store nor the comments contain a run of the
 * change request.
 */
import { hasForgeCode } from '../../shared/forge/errors.ts';
import type { CommitStatus } from '../../shared/forge/port-statuses.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import type { History } from '../../shared/rounds/model/history.ts';
import { inputOf } from '../../shared/rounds/model/input.ts';
import { withAnnouncements } from '../../shared/rounds/memory/announced-in-status.ts';
import { claimsIn } from '../../shared/rounds/memory/claims.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/vocabulary/ids.ts';
import { STATUS_CONTEXT } from '../../shared/vocabulary/status-place.ts';
import type { KnownForge } from './deps.ts';

type Asking = {
  readonly forge: KnownForge;
  readonly of: ChangeRequest;
  readonly markerSecrets: readonly string[];
  readonly signal: AbortSignal;
};

/** Reads the statuses once. If the forge has no summary, only the status can show that a run was started. */
export const withStatusOf = async (
  asking: Asking,
  { changeRequest, history }: Pick<Facts, 'changeRequest' | 'history'>,
): Promise<History> => {
  if (changeRequest?.state !== 'open' || history.summary !== null) return history;
  const { of, markerSecrets, forge } = asking;
  const at = { key: changeRequestKey(of), head: changeRequest.head };
  const { botIds } = forge;
  const wish = { context: STATUS_CONTEXT, at, secrets: markerSecrets, botIds };
  const found = claimsIn(await fetchStatuses(asking, changeRequest), wish).map(({ announcement }) => announcement);
  return withAnnouncements(history, found, inputOf(changeRequest));
};

const fetchStatuses = async (
  { forge, of, signal }: Asking,
  { head }: NonNullable<Facts['changeRequest']>,
): Promise<readonly CommitStatus[]> => {
  try {
    return await forge.read.fetchStatuses(of, head, signal);
  } catch (error) {
    // An account that may not read statuses could not write one either.
    if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_NOT_FOUND')) return [];
    throw error;
  }
};
