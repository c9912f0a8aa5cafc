/** Determines the file names of messages in a folder, and the order in which they are handled. */
import { createHash } from 'node:crypto';
import type { ReviewMessage } from './message.ts';

/** The name is `<time>_<from>_<type>_<4 hex>.yaml`. The suffix is a hash of the id, so a message always has the same name. */
export const messageFileName = (message: ReviewMessage): string => nameWith(message, hash(message.id).slice(0, 4));

/**
 * For a message whose file name another one has, which may have the same id in another project. The suffix is longer by a
 * hash of the whole message.
 */
export const distinctFileName = (message: ReviewMessage): string =>
  nameWith(message, `${hash(message.id).slice(0, 4)}_${hash(JSON.stringify(message)).slice(0, 16)}`);

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

const nameWith = ({ created_at_utc: time, from, type }: ReviewMessage, suffix: string): string =>
  `${time.replaceAll(/\D/g, '')}_${from}_${type}_${suffix}.yaml`;

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
