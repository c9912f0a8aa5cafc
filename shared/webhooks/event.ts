/**
 * A delivery only causes the reader to fetch the facts from the forge. So an event contains ids, but no text and no
 * addresses.
 */
import { z } from 'zod';
import { ForgeEventKind } from '../rounds/model/events.ts';
import { CommitSha } from '../vocabulary/ids.ts';
import { Id } from './fields.ts';

/**
 * What each kind means in a webhook:
 *
 * - `ready`, `became_draft`: read from the title or the forge's flag. If the forge uses other draft prefixes, the kind
 *   is `metadata`.
 * - `metadata`: title, description, labels, milestone and similar fields.
 * - `review_requested`: a review was requested from any account. The reader checks whether that is the bot.
 * - `comment`, `comment_edited`: anyone commented in the conversation or in a thread.
 * - `human_review`: a submitted review, or an approval given or withdrawn.
 * - `reaction`: an emoji was added or removed. `pipeline`: a pipeline of the change request changed its state.
 */
export const WebhookEvent = z.strictObject({
  projectId: Id,
  number: Id,
  kind: ForgeEventKind,
  /** Tip of the source branch; null when the payload has none. It may be outdated, because deliveries arrive in any order. */
  head: CommitSha.nullable(),
  noteId: Id.nullable(),
  /** The account that caused the event. Null for deleted accounts, for the forge itself and when the payload has none. */
  actorId: Id.nullable(),
  /** Set only for `review_requested`, because some forges look up a permission by login. The login is checked against the id. */
  actorLogin: z.string().min(1).max(255).optional(),
  /** May be set for any kind. For `review_requested`, null means several accounts: read the reviewers from the forge. */
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
  /** Distinguishes events of the same kind on the same head. Every delivery of one event has the same hash. */
  readonly contentHash: string;
};

/** An event about a commit. The ingress turns it into one event per change request with that head. */
export type CommitDelivery = {
  readonly kind: 'commit';
  readonly projectId: number;
  readonly head: CommitSha;
  readonly event: Pick<WebhookEvent, 'actorId'> & { readonly kind: 'pipeline' };
  readonly projectPath: string | null;
  readonly contentHash: string;
};

/** `ignored`: valid, but needs no action. `refused`: no forge sends this. A reason contains no data from the payload. */
export type ParsedDelivery =
  | EventDelivery
  | CommitDelivery
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };
