/** Determines the file names of messages in a folder, and the order in which they are handled. */
import { createHash } from 'node:crypto';
import type { ReviewMessage } from './message.ts';

/** The name is `<time>_<from>_<type>_<4 hex>.yaml`. The suffix is a hash of the id, so a message always has the same name. */
export const messageFileName = ({ id, created_at_utc: time, from, type }: ReviewMessage): string => {
  const suffix = createHash('sha256').update(id).digest('hex').slice(0, 4);
  return `${time.replaceAll(/\D/g, '')}_${from}_${type}_${suffix}.yaml`;
};

/** P2 and P3 have equal rank. */
const RANK: Readonly<Record<ReviewMessage['priority'], number>> = { P0: 0, P1: 1, P2: 2, P3: 2 };

/** Sorts P0 first, then P1, then the rest; then older messages first; then by id, so that the order is deterministic. */
export const byUrgency = (one: ReviewMessage, other: ReviewMessage): number =>
  RANK[one.priority] - RANK[other.priority] ||
  one.created_at_utc.localeCompare(other.created_at_utc) ||
  one.id.localeCompare(other.id);

/** True for expired messages, which are shown but not acted on. */
export const isExpired = ({ expires_at: expires }: ReviewMessage, nowMs: number): boolean =>
  expires !== undefined && Date.parse(expires) <= nowMs;
