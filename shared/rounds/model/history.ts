/**
 * The history of a change request, read from the bot's own signed markers. The forge is the only long-term memory: if Redis
 * is lost, guard continues from this history. Counts and states only move forward, so restoring an older edit of a comment
 * changes nothing.
 */
import { ForgeComment } from '../../forge/port-facts.ts';
import { CommitSha, FindingId } from '../../vocabulary/ids.ts';
import type { Counts } from './counts.ts';
import { compareInputs, type Input, inputOf, type KnownInput } from './input.ts';
import type { RememberedCommand, ReplyScope, SummaryMarker } from './marker-payload.ts';
import { ThreadProgress } from './thread.ts';
import { AlsoRules, Place, type Verdict } from '../../vocabulary/finding.ts';
import type { Spent } from '../../vocabulary/spent.ts';
import { z } from 'zod';

export const Thread = ThreadProgress.extend({
  id: FindingId,
  fingerprint: z.string(),
  blocking: z.boolean(),
  review: z.number().int().nonnegative(),
  place: Place,
  head: CommitSha.nullable(),
  title: z.string(),
  rule: z.string().nullable(),
  alsoRules: AlsoRules,
  /** The finding's inline comment. Null if the finding was only listed in the summary or if the comment was deleted. */
  comment: ForgeComment.nullable(),
  /**
   * The head at which the thread was handed to a human. Absent if it was not handed to one, or if the head is unknown.
   */
  settledAt: CommitSha.optional(),
  /** The head of the last cycle. Absent if the thread was opened at `head` and not handled since. */
  cycledAt: CommitSha.optional(),
  /** Set if the author service has declined the finding since the last cycle. */
  declined: z.literal(true).optional(),
  /** The place where the code was found last. Absent if it equals `place`. */
  today: Place.optional(),
  /** The head that the lines of `today` belong to. Absent if it is the last reviewed head. */
  todayAt: CommitSha.optional(),
  /** Set if the finding was only listed in the summary, because no room or no round was left for its thread. */
  listed: z.literal(true).optional(),
  /** Set if the code is outside the diff of the current input; then the thread does not block. */
  outside: z.literal(true).optional(),
  /** Set if the change breaks the code without touching it; then the diff does not show whether the code is outside. */
  required: z.literal(true).optional(),
  /** Set if the thread was closed and the finding was raised again without opening a new thread. */
  again: z.literal(true).optional(),
}).readonly();
export type Thread = z.output<typeof Thread>;

export const placeToday = ({ place, today }: Pick<Thread, 'place' | 'today'>): Place => today ?? place;

export type ReviewedInput = KnownInput & {
  readonly base: CommitSha;
  readonly fingerprint: string;
  readonly review: number;
  readonly verdict: Verdict;
  readonly complete?: boolean | undefined;
  readonly left?: readonly string[] | undefined;
  readonly seenBy?: 'model' | 'rules' | undefined;
  readonly clear?: boolean | undefined;
  readonly onlyCi?: true | undefined;
  readonly rules: string;
  readonly onlyChecks?: true | undefined;
  readonly exceeded?: true | undefined;
  readonly commands?: readonly RememberedCommand[] | undefined;
};

/** The run that the summary announces. A re-evaluation is never announced. */
export type AnnouncedRun = Input & {
  readonly runId: string;
  readonly review: number;
  readonly attempt: number;
  readonly deadlineMs: number;
} & (
    | { readonly kind: 'review'; readonly full?: true | undefined }
    | { readonly kind: 'reply'; readonly scope: ReplyScope }
  );

export type FixHistory = {
  readonly used: number;
  /** The review that the last fix addresses; 0 if no fix was ordered. */
  readonly review: number;
  readonly trees: readonly string[];
};

export type SaidReply = { readonly id: FindingId; readonly fingerprint: string; readonly text: string };

export type History = Counts & {
  readonly summary: { readonly comment: ForgeComment; readonly marker: SummaryMarker } | null;
  readonly threads: readonly Thread[];
  /** The bot's answers in threads so far; comments with answers to several threads are left out. Absent if they are unknown. */
  readonly replies?: readonly SaidReply[];
  /** Completed reviews, including silent reviews. */
  readonly reviewsDone: number;
  /** Announced attempts of the review in progress, including the running one. */
  readonly attempts: number;
  readonly supersededInRow: number;
  readonly running: AnnouncedRun | null;
  readonly reviewed: readonly ReviewedInput[];
  /** Inputs that were closed without a completed review. */
  readonly closed: readonly Input[];
  /** Hand-offs, oldest first and one per input. */
  readonly handoffs: readonly HandedOver[];
  readonly verdict: Verdict | null;
  readonly spent: Spent | null;
  readonly nextNumber: number;
  readonly fixes: FixHistory;
  readonly grants: number;
  /** When the most recent rounds were granted, epoch ms, oldest first. */
  readonly grantedAtMs: readonly number[];
  readonly pauses: number;
  /** `outages`: how often heads were closed because something was unavailable. `parked`: the head that waits for it now. */
  readonly outages: number;
  readonly parked: (Input & { readonly retryAtMs: number }) | null;
  /**
   * True if another account posted our signature: guard then stops and mentions the operator instead of starting over.
   */
  readonly disowned: boolean;
};

export const HandedOver = z.object({
  head: CommitSha,
  /** The review that the hand-off ends, or the last review before the hand-off. */
  review: z.number().int().nonnegative(),
  reason: z.string(),
  /** Epoch ms on the forge's clock. */
  atMs: z.number().int().nonnegative(),
});
export type HandedOver = z.output<typeof HandedOver>;

export const lastReviewed = ({ reviewed }: History): ReviewedInput | null =>
  reviewed.toSorted((one, other) => one.review - other.review).at(-1) ?? null;

/** True if the next review can be compared with this one: everything outside of its `left` was reviewed. */
export const isComparable = ({ complete, left }: Pick<ReviewedInput, 'complete' | 'left'>): boolean =>
  complete !== false || left !== undefined;

/** The last review that the next one can be compared with. */
export const lastComparable = ({ reviewed }: Pick<History, 'reviewed'>): ReviewedInput | null =>
  reviewed
    .filter(isComparable)
    .toSorted((one, other) => one.review - other.review)
    .at(-1) ?? null;

/** True if the entry is certainly about the current input. */
export const isPresent = (entry: ReviewedInput | null, facts: Parameters<typeof inputOf>[0]): entry is ReviewedInput =>
  entry !== null && compareInputs(entry, inputOf(facts)) === 'same';
