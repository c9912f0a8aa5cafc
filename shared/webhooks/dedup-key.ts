import { createHash } from 'node:crypto';
import type { ForgeId } from '../vocabulary/ids.ts';
import type { EventDelivery } from './event.ts';

/** Hex SHA-256 of any JSON value; arrays keep apart what joined text would run together. */
export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex');

/**
 * Equal for deliveries that say the same: one event through a project's and its group's hook, or a replay under a new
 * delivery id. 64 hex characters.
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
