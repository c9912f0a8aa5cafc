/** Reads what the head's status announces, for a change request that neither guard's store nor the comments mention. */
import { hasForgeCode } from '../../shared/forge/errors.ts';
import type { StatusLink } from '../../shared/forge/port-statuses.ts';
import type { Announcement } from '../../shared/rounds/model/run.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import type { History } from '../../shared/rounds/model/history.ts';
import { inputOf } from '../../shared/rounds/model/input.ts';
import { withAnnouncements } from '../../shared/rounds/memory/announced-in-status.ts';
import { readAnnouncement } from '../../shared/rounds/memory/announcement-url.ts';
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
  const found = (await fetchLinks(asking, changeRequest))
    .filter(({ creatorId }) => creatorId === null || forge.botIds.has(creatorId))
    .flatMap(({ url }): readonly Announcement[] => {
      const announcement = readAnnouncement(url, at, markerSecrets);
      return announcement === null ? [] : [announcement];
    });
  return withAnnouncements(history, found, inputOf(changeRequest));
};

const fetchLinks = async (
  { forge, of, signal }: Asking,
  { head }: NonNullable<Facts['changeRequest']>,
): Promise<readonly StatusLink[]> => {
  try {
    const statuses = await forge.read.fetchStatuses(of, head, signal);
    return statuses.filter(({ context }) => context === STATUS_CONTEXT).flatMap(({ links = [] }) => links);
  } catch (error) {
    // An account that may not read statuses could not write one either.
    if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_NOT_FOUND')) return [];
    throw error;
  }
};
