import { hash } from 'node:crypto';
import type { ForgeId } from '../vocabulary/ids.ts';
import type { EventDelivery } from './event.ts';

/** Returns the hex SHA-256 of any JSON value. Pass an array, because joined strings can collide. */
export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value ?? null));

/**
 * Returns 64 hex characters. The key is the same if one event is sent through several hooks or replayed with a new
 * delivery id.
 */
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
