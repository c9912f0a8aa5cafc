/**
 * What a webhook delivery means to Fixpoint: a hint that something about one change request may have changed. Whoever
 * acts on it reads the facts from the forge first, so it holds ids and commit ids only: no text and no addresses.
 */
import { z } from 'zod';
import { ForgeEventKind } from '../rounds/model/events.ts';
import { CommitSha } from '../vocabulary/ids.ts';
import { Id } from './fields.ts';

/**
 * Of the kinds, as webhooks tell them:
 *
 * - `ready`, `became_draft`: read off the title or the forge's flag; a forge with unusual draft prefixes reports `metadata`.
 * - `metadata`: title, description, labels, milestone and the like.
 * - `review_requested`: of anyone; whether the bot is meant is the reader's to decide.
 * - `comment`, `comment_edited`: by anyone, in the conversation or in a thread.
 * - `human_review`: a submitted review, or an approval given or taken back; its text has to be read from the forge.
 * - `reaction`: an emoji was given or taken back. `pipeline`: a pipeline of the change request changed its state.
 */
export const WebhookEvent = z.strictObject({
  projectId: Id,
  number: Id,
  kind: ForgeEventKind,
  /** Tip of the source branch as the payload names it; null where it names none. May be old: deliveries have no order. */
  head: CommitSha.nullable(),
  /** The comment that was written, edited or reacted to. */
  noteId: Id.nullable(),
  /** Whoever caused the event; null for ghosts, the forge itself and payloads without it. */
  actorId: Id.nullable(),
  /** With `review_requested`: some forges tell what somebody may do by this name alone. Checked against the id. */
  actorLogin: z.string().min(1).max(255).optional(),
  /**
   * Whose review was asked for; also beside another kind when one update did both. With `review_requested` null means
   * several at once: look the reviewers up.
   */
  requestedReviewerId: Id.nullable(),
  /** The forge's own id of the thread, where the payload has one (GitLab's discussion id). */
  threadHint: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .nullable(),
});
export type WebhookEvent = z.output<typeof WebhookEvent>;

export type EventDelivery = {
  readonly kind: 'event';
  readonly event: WebhookEvent;
  /** Human path such as `group/name`, to hold against the allow list and for nothing else; null when not named. */
  readonly projectPath: string | null;
  /** Tells this event from others of its kind on the same head; equal in every delivery of the same event. */
  readonly contentHash: string;
};

/** Something about a commit: whoever knows which change requests have it as head makes events of it. */
export type CommitDelivery = {
  readonly kind: 'commit';
  readonly projectId: number;
  readonly head: CommitSha;
  readonly event: Pick<WebhookEvent, 'actorId'> & { readonly kind: 'pipeline' };
  readonly projectPath: string | null;
  readonly contentHash: string;
};

/**
 * `ignored`: understood, nothing to do. `refused`: no forge sends this, for instance an id that JSON cannot carry.
 * Reasons are constant sentences: nothing of the payload is in them.
 */
export type ParsedDelivery =
  | EventDelivery
  | CommitDelivery
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };
