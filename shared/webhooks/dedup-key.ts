import { createHash } from 'node:crypto';
import type { ForgeId } from '../vocabulary/ids.ts';
import type { EventDelivery } from './event.ts';

/** Returns the hex SHA-256 of any JSON value. Pass an array, because joined strings can collide. */
export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex');

/** The key is equal for one event sent through several hooks, and for a replay with a new delivery id. 64 hex characters. */
export const dedupKeyOf = (
  forge: ForgeId,
  { event, contentHash }: Omit<EventDelivery, 'kind' | 'projectPath'>,
): string =>
  digestOf([
    forge,
    event.projectId,
    event.number,
    event.kind,
    event.head,
    event.noteId,
    event.actorId,
    event.requestedReviewerId,
    contentHash,
  ]);
