/**
 * What the poster is to make true on the forge. Texts are unsanitised and unsigned here: the poster is the only one who
 * turns them into bodies. Every part has a key (kind, content fingerprint, round), so that making it true twice posts
 * it once.
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
import { PlannedForgeVerdict } from '../../vocabulary/forge-verdict.ts';
import { BranchName } from './input.ts';
import { ChangeRequest, CommitSha, RunId } from '../../vocabulary/ids.ts';

/** Files whose owners may be called by one text. */
export const MAX_CALLED_PATHS = 10;

/** Markdown that may contain the model's words. */
const Text = z.string().max(200_000);

/** A person must decide: who is called is found where it is written. The owners of these files come first. */
export const PersonCall = z.object({ paths: z.array(z.string().max(4_096)).max(MAX_CALLED_PATHS) });
export type PersonCall = z.output<typeof PersonCall>;

export const PlannedInline = z.object({
  marker: FindingMarker,
  text: Text,
  /** Replaces the whole lines of the position; null when there is none. */
  suggestion: z.string().nullable(),
  position: Position,
});
export type PlannedInline = z.output<typeof PlannedInline>;

export const PlannedReply = z.object({
  marker: z.union([ReplyMarker, DeclineMarker]),
  text: Text,
  /** Absent: nobody is called. */
  calls: PersonCall.optional(),
});
export type PlannedReply = z.output<typeof PlannedReply>;

/** The finding's own comment is edited to say so and, where the forge can, its thread is resolved. */
export const PlannedClosure = z.object({
  marker: ReplyMarker,
  text: Text,
  /** Absent: resolved. */
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
  /** As the forge gave it when this was planned; null when it gave none. */
  mergeBase: CommitSha.nullable(),
  /** As git computed it, where something was compared. */
  base: CommitSha.nullable(),
  otherBases: z.array(CommitSha).readonly().optional(),
  targetHead: CommitSha,
  sourceBranch: z.string(),
  /** True: post although the head has moved on; nothing passing is ever set then. */
  allowStale: z.boolean(),
  inline: z.array(PlannedInline),
  replies: z.array(PlannedReply),
  closures: z.array(PlannedClosure),
  /** Null when it stays as it is. */
  summary: z.object({ marker: SummaryMarker, text: Text }).nullable(),
  /** Ids of comments that asked for something. */
  reactions: z.array(z.string()),
  /** Short new comments: edits of the summary notify nobody. */
  notices: z.array(
    z.object({
      marker: z.union([NoticeMarker, HandoffMarker, AnswerMarker, FixMarker, RawMarker]),
      text: Text,
      mention: z.boolean(),
      /** With `mention`: whose decision it is. Absent: the operators' alone. */
      calls: PersonCall.optional(),
      /** Where it is an answer in a thread; else it stands in the conversation. */
      threadId: z.string().optional(),
    }),
  ),
  /** Null when it stays as it is. */
  status: PlannedStatus.nullable(),
  /** What shall stand on the forge as the bot's own verdict; null: the poster does not look. */
  forgeVerdict: PlannedForgeVerdict.nullable().default(null),
});
export type PostPlan = z.output<typeof PostPlan>;

/** A plan that says something new about the whole change request. */
export type FullPlan = PostPlan & {
  readonly summary: NonNullable<PostPlan['summary']>;
  readonly status: PlannedStatus;
};
