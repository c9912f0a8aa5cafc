/**
 * What the poster has to make true on the forge. Texts are neither sanitised nor signed here: only the poster does that.
 * Each part has a key (kind, content fingerprint, round), so applying a plan twice posts each part once.
 */
import { z } from 'zod';
import { Position } from '../../diff/position/position.ts';
import {
  AnswerMarker,
  DeclineMarker,
  FindingMarker,
  FixMarker,
  HandoffMarker,
  NoticeMarker,
  RawMarker,
  ReplyMarker,
  SummaryMarker,
} from './marker-payload.ts';
import { Announcement } from './run.ts';
import { PlannedForgeVerdict } from '../../vocabulary/forge-verdict.ts';
import { BranchName } from './input.ts';
import { ChangeRequest, CommitSha, RunId } from '../../vocabulary/ids.ts';

/** Markdown that may contain text from the model. */
const Text = z.string().max(200_000);

export const PlannedInline = z.object({
  marker: FindingMarker,
  text: Text,
  /** Replaces all lines of the position. Null when there is no suggestion. */
  suggestion: z.string().nullable(),
  position: Position,
});
export type PlannedInline = z.output<typeof PlannedInline>;

export const PlannedReply = z.object({ marker: z.union([ReplyMarker, DeclineMarker]), text: Text });
export type PlannedReply = z.output<typeof PlannedReply>;

/** The poster edits the finding's comment and, if the forge supports it, resolves the thread. */
export const PlannedClosure = z.object({
  marker: ReplyMarker,
  text: Text,
  /** Absent means resolved. */
  state: z.literal('dismissed').optional(),
});
export type PlannedClosure = z.output<typeof PlannedClosure>;

export const PlannedStatus = z.object({
  state: z.enum(['pending', 'success', 'failure', 'error']),
  description: z.string().max(140),
});
export type PlannedStatus = z.output<typeof PlannedStatus>;

export const PostPlan = z.object({
  v: z.literal(1),
  planId: z.string(),
  kind: z.enum([
    'acknowledge',
    'announce',
    'round',
    'carried',
    'give_up',
    'cap',
    'replies_announce',
    'replies',
    'answer',
    'closed',
    'withdraw',
    'status',
    'fix_announce',
    'fix_end',
    'fix_refusal',
    'outage',
  ]),
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  target: BranchName,
  /** The merge base that the forge reported when the plan was made. Null when it reported none. */
  mergeBase: CommitSha.nullable(),
  /** The merge base that git computed. Null when nothing was compared. */
  base: CommitSha.nullable(),
  otherBases: z.array(CommitSha).readonly().optional(),
  targetHead: CommitSha,
  sourceBranch: z.string(),
  /** True: post even if the head has moved on. Then no passing status or verdict is set. */
  allowStale: z.boolean(),
  inline: z.array(PlannedInline),
  /**
   * The body of the review with the inline comments, where the forge has one: it is mailed. The first such review holds the
   * summary instead. Null without inline comments.
   */
  reviewText: Text.nullable().default(null),
  replies: z.array(PlannedReply),
  closures: z.array(PlannedClosure),
  /** Null: leave it unchanged. */
  summary: z.object({ marker: SummaryMarker, text: Text }).nullable(),
  /**
   * Set for the start of a run. While the forge has no summary, the poster writes this into the pending status instead of
   * creating one, because a new comment sends mail. When no status can carry it, the summary is created all the same.
   */
  announcement: Announcement.nullable().default(null),
  /** Ids of the comments that get a reaction. */
  reactions: z.array(z.string()),
  /** Short new comments, because editing the summary notifies nobody. */
  notices: z.array(
    z.object({
      marker: z.union([NoticeMarker, HandoffMarker, AnswerMarker, FixMarker, RawMarker]),
      text: Text,
      mention: z.boolean(),
      threadId: z.string().optional(),
    }),
  ),
  status: PlannedStatus.nullable(),
  /** The bot's verdict on the forge. Null: the poster does not check it. */
  forgeVerdict: PlannedForgeVerdict.nullable().default(null),
});
export type PostPlan = z.output<typeof PostPlan>;

export type FullPlan = PostPlan & {
  readonly summary: NonNullable<PostPlan['summary']>;
  readonly status: PlannedStatus;
};
