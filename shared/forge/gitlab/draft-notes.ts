import { MergeRequestDraftNotes } from '@gitbeaker/rest';
import { z } from 'zod';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { hasForgeCode } from '../errors.ts';
import type { WritesReviews } from '../port.ts';
import type { GitlabContext } from './api/context.ts';
import type { Ask } from './api/requester.ts';
import { ApiDraftNote } from './api/schema.ts';

/** GET /projects/:id/merge_requests/:iid/draft_notes (own drafts, not paged): https://docs.gitlab.com/api/draft_notes/ */
export const fetchDrafts = (
  { api }: GitlabContext,
  of: ChangeRequest,
  signal: AbortSignal,
): Promise<readonly ApiDraftNote[]> =>
  api.read(z.array(ApiDraftNote), signal, (options) =>
    new MergeRequestDraftNotes(options).all(of.projectId, of.number),
  );

/** Returns false when the draft no longer exists. */
const unlessGone = async ({ api }: GitlabContext, signal: AbortSignal, ask: Ask): Promise<boolean> => {
  try {
    await api.write(null, signal, ask);
    return true;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return false;
    throw error;
  }
};

/** DELETE .../draft_notes/:id. Returns how many of the drafts existed. */
export const removeDrafts = async (
  context: GitlabContext,
  of: ChangeRequest,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<number> => {
  let removed = 0;
  for (const id of ids) {
    const wasThere = await unlessGone(context, signal, (options) =>
      new MergeRequestDraftNotes(options).remove(of.projectId, of.number, id),
    );
    if (wasThere) removed += 1;
  }
  return removed;
};

/**
 * Publishes in bulk (one notification) when the account has no other drafts, otherwise one by one. No draft may reply to a
 * thread, because publishing it would reopen the thread.
 * POST .../draft_notes/bulk_publish and PUT .../draft_notes/:id/publish
 */
export const publishDrafts = async (
  context: GitlabContext,
  of: ChangeRequest,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<void> => {
  const waiting = await fetchDrafts(context, of, signal);
  if (waiting.every(({ id }) => ids.includes(id))) {
    await context.api.write(null, signal, (options) =>
      new MergeRequestDraftNotes(options).publishBulk(of.projectId, of.number),
    );
    return;
  }
  for (const id of ids) {
    await unlessGone(context, signal, (options) =>
      new MergeRequestDraftNotes(options).publish(of.projectId, of.number, id),
    );
  }
};

/** Keeps drafts that a person wrote under the same account. */
export const clearLeftovers =
  (context: GitlabContext): WritesReviews['clearLeftovers'] =>
  async (of, isOurs, signal) => {
    if (!context.traits.draftNotes) return 0;
    const drafts = await fetchDrafts(context, of, signal);
    const ours = drafts.filter(({ note }) => isOurs(note)).map(({ id }) => id);
    return removeDrafts(context, of, ours, signal);
  };
