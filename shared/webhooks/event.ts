/** A delivery is a hint to read the facts from the forge, so an event holds ids only: no text and no addresses. */
import { z } from 'zod';
import { ForgeEventKind } from '../rounds/model/events.ts';
import { CommitSha } from '../vocabulary/ids.ts';
import { Id } from './fields.ts';

/**
 * What each kind means in a webhook:
 *
 * - `ready`, `became_draft`: from the title or the forge's flag; a forge with unusual draft prefixes reports `metadata`.
 * - `metadata`: title, description, labels, milestone and similar fields.
 * - `review_requested`: from any account; the reader checks whether it is the bot.
 * - `comment`, `comment_edited`: by anyone, in the conversation or in a thread.
 * - `human_review`: a submitted review, or an approval given or withdrawn.
 * - `reaction`: an emoji was added or removed. `pipeline`: a pipeline of the change request changed its state.
 */
export const WebhookEvent = z.strictObject({
  projectId: Id,
  number: Id,
  kind: ForgeEventKind,
  /** Tip of the source branch; null when the payload has none. It may be old, because deliveries arrive in any order. */
  head: CommitSha.nullable(),
  noteId: Id.nullable(),
  /** The account that caused the event. Null for deleted accounts, for the forge itself and when the payload has none. */
  actorId: Id.nullable(),
  /** Set only for `review_requested`, because some forges look up a permission by login. Checked against the id. */
  actorLogin: z.string().min(1).max(255).optional(),
  /** May be set with any kind. Null with `review_requested` means several accounts: read the reviewers from the forge. */
  requestedReviewerId: Id.nullable(),
  /** GitLab's discussion id; null when the payload has none. */
  threadHint: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .nullable(),
});
export type WebhookEvent = z.output<typeof WebhookEvent>;

export type EventDelivery = {
  readonly kind: 'event';
  readonly event: WebhookEvent;
  /** Readable path such as `group/name`, only for the allow list; null when the payload has none. */
  readonly projectPath: string | null;
  /** Distinguishes events of the same kind on the same head; equal in every delivery of one event. */
  readonly contentHash: string;
};

/** An event of a commit. The ingress turns it into one event per change request with that head. */
export type CommitDelivery = {
  readonly kind: 'commit';
  readonly projectId: number;
  readonly head: CommitSha;
  readonly event: Pick<WebhookEvent, 'actorId'> & { readonly kind: 'pipeline' };
  readonly projectPath: string | null;
  readonly contentHash: string;
};

/** `ignored`: valid, needs no action. `refused`: no forge sends this. A reason contains no data from the payload. */
export type ParsedDelivery =
  | EventDelivery
  | CommitDelivery
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };
