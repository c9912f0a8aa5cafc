/**
 * A plan describes the state that the poster has to reach on the forge. Its text is not sanitised or signed yet; only
 * the poster does that. Each part has a key (kind, content fingerprint, review), so applying a plan twice posts each
 * part once.
 */
import { z } from 'zod';
import { Position } from '../../../diff/position/position.ts';
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
} from '../marker-payload.ts';
import { Announcement } from '../run.ts';
import { Tally } from './tally.ts';
import { PlannedForgeVerdict } from '../../../vocabulary/forge-verdict.ts';
import { BranchName } from '../input.ts';
import { ChangeRequest, CommitSha, RunId } from '../../../vocabulary/ids.ts';

/** Maximum number of files whose owners one comment may mention. */
export const MAX_CALLED_PATHS = 10;

/**
 * A mention of a person who must decide. The poster determines whom to mention; the owners of these files come first.
 */
export const PersonCall = z.object({ paths: z.array(z.string().max(4_096)).max(MAX_CALLED_PATHS) });
export type PersonCall = z.output<typeof PersonCall>;

/** In UTF-16 units. More than any forge accepts in a comment. */
export const MAX_PLANNED_TEXT = 200_000;

/** Markdown that may contain text from the model. Longer texts are cut when the plan is sent, see `fit-plan.ts`. */
const Text = z.string().max(MAX_PLANNED_TEXT);

/** A section that is collapsed until a reader opens it. */
export const Fold = z.object({
  /** The title is one line of plain words. */
  title: z.string().min(1).max(120),
  text: Text,
});
export type Fold = z.output<typeof Fold>;

export const SummaryBody = z.object({
  text: Text,
  /** The collapsed sections; absent if there are none. */
  folds: z.array(Fold).max(20).optional(),
  /** The last line of the summary; absent if there is none. */
  foot: z.string().max(1_000).optional(),
});
export type SummaryBody = z.output<typeof SummaryBody>;

/**
 * The tags of a collapsed section, each on its own line. Only the poster writes them; no other text may contain them.
 */
export const FOLD_BEGIN = '<details>';
export const FOLD_END = '</details>';

export const PlannedInline = z.object({
  marker: FindingMarker,
  text: Text,
  /** Replaces all lines of the position. Null if there is no suggestion. */
  suggestion: z.string().nullable(),
  /** The last line of the comment, after the suggestion; absent if there is none. */
  foot: z.string().max(1_000).optional(),
  position: Position,
});
export type PlannedInline = z.output<typeof PlannedInline>;

export const PlannedReply = z.object({
  marker: z.union([ReplyMarker, DeclineMarker]),
  text: Text,
  /** Who is mentioned; absent if nobody is. */
  calls: PersonCall.optional(),
});
export type PlannedReply = z.output<typeof PlannedReply>;

/** The poster edits the finding's comment and, if the forge supports it, resolves the thread. */
export const PlannedClosure = z.object({
  marker: ReplyMarker,
  text: Text,
  /** The new state. Absent means resolved. */
  state: z.literal('dismissed').optional(),
});
export type PlannedClosure = z.output<typeof PlannedClosure>;

export const PlannedStatus = z.object({
  state: z.enum(['pending', 'success', 'failure', 'error']),
  description: z.string().max(140),
  /** Address of the summary. Absent if it is unknown. */
  url: z.string().optional(),
});
export type PlannedStatus = z.output<typeof PlannedStatus>;

export const PostPlan = z.object({
  v: z.literal(1),
  planId: z.string(),
  kind: z.enum([
    'acknowledge',
    'announce',
    'review',
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
  /** The project's path when the plan was made, by which its settings are found. Absent if the forge did not say it. */
  projectPath: z.string().optional(),
  runId: RunId,
  head: CommitSha,
  target: BranchName,
  /** The merge base that the forge reported when the plan was made. Null if it reported none. */
  mergeBase: CommitSha.nullable(),
  /** The merge base that git computed. Null if nothing was compared. */
  base: CommitSha.nullable(),
  otherBases: z.array(CommitSha).readonly().optional(),
  targetHead: CommitSha,
  sourceBranch: z.string(),
  /** If true, the plan is posted even if the head has moved; no passing status or verdict is then set. */
  allowStale: z.boolean(),
  inline: z.array(PlannedInline),
  /**
   * Body of the review that has the inline comments, if the forge has reviews; the forge sends it by email. The first
   * such review contains the summary instead. Null if there are no inline comments.
   */
  reviewText: Text.nullable().default(null),
  replies: z.array(PlannedReply),
  closures: z.array(PlannedClosure),
  /** The new summary. Null means that it stays unchanged. */
  summary: SummaryBody.extend({ marker: SummaryMarker }).nullable(),
  /**
   * Set for the start of a run. If the forge has no summary, the poster writes this into the pending status instead of
   * creating a summary, because a new comment sends an email. If no status can contain it, the summary is created after
   * all.
   */
  announcement: Announcement.nullable().default(null),
  /** Ids of the comments to which a reaction is added. */
  reactions: z.array(z.string()),
  /** Short new comments, because editing the summary notifies nobody. */
  notices: z.array(
    z.object({
      marker: z.union([NoticeMarker, HandoffMarker, AnswerMarker, FixMarker, RawMarker]),
      text: Text,
      mention: z.boolean(),
      /** Set together with `mention`: who must decide. If absent, only the operators are mentioned. */
      calls: PersonCall.optional(),
      threadId: z.string().optional(),
    }),
  ),
  status: PlannedStatus.nullable(),
  /** The bot's verdict on the forge. Null means that the poster does not check it. */
  forgeVerdict: PlannedForgeVerdict.nullable().default(null),
  /** What guard counts once the plan is posted. The poster ignores it. */
  tally: Tally.optional(),
});
export type PostPlan = z.output<typeof PostPlan>;

export type FullPlan = PostPlan & {
  readonly summary: NonNullable<PostPlan['summary']>;
  readonly status: PlannedStatus;
};
