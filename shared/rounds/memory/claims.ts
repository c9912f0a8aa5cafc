/**
 * Decides which run continues when processes without a common Redis announce runs for the same input. Each process
 * reads the statuses after its own announcement. All of them see the same order, so all runs but one give way.
 */
import type { CommitStatus } from '../../forge/port-statuses.ts';
import type { Announcement } from '../model/run.ts';
import type { Input } from '../model/input.ts';
import { type AnnouncedAt, isAnnouncedFor, readAnnouncement } from './announcement-url.ts';

/** `id`: the id of the status with the announcement. `isOver`: the run has ended without a verdict. */
export type StatusClaim = { readonly announcement: Announcement; readonly id: number; readonly isOver: boolean };

type ClaimsWish = {
  readonly context: string;
  readonly at: AnnouncedAt;
  readonly secrets: readonly string[];
  readonly botIds: ReadonlySet<number>;
};

/** The signed announcements in the links of the bot's statuses, oldest first. */
export const claimsIn = (
  statuses: readonly CommitStatus[],
  { context, at, secrets, botIds }: ClaimsWish,
): readonly StatusClaim[] =>
  statuses
    .filter((status) => status.context === context)
    .flatMap(({ links = [] }) => links)
    .filter(({ creatorId }) => creatorId === null || botIds.has(creatorId))
    .flatMap(({ url, id, isOver }): readonly StatusClaim[] => {
      const announcement = readAnnouncement(url, at, secrets);
      return announcement === null ? [] : [{ announcement, id, isOver }];
    })
    .toSorted((one, other) => one.id - other.id);

/**
 * The run to which `mine` gives way; null when `mine` continues. A claim with more runs or attempts takes precedence,
 * because a later attempt replaces an earlier one. If these are equal, the oldest status takes precedence. A claim
 * whose run has ended without a verdict is ignored: after an outage the same run is announced again.
 */
export const rivalOf = (mine: Announcement, claims: readonly StatusClaim[], present: Input): Announcement | null => {
  const own = claims.filter(({ announcement }) => announcement.run === mine.run).map(({ id }) => id);
  const ownId = Math.min(...own);
  const rivals = claims.filter(
    ({ announcement, isOver }) => announcement.run !== mine.run && !isOver && isAnnouncedFor(announcement, present),
  );
  const before = rivals
    .filter(({ announcement, id }) => isBefore({ announcement, id }, { announcement: mine, id: ownId }))
    .toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
  return before[0]?.announcement ?? null;
};

type Ranked = Pick<StatusClaim, 'announcement' | 'id'>;

const isBefore = (one: Ranked, other: Ranked): boolean => {
  const [a, b] = [one.announcement, other.announcement];
  if (a.runs !== b.runs) return a.runs > b.runs;
  return a.attempt === b.attempt ? one.id < other.id : a.attempt > b.attempt;
};
