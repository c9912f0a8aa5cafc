/**
 * What has happened on a change request, read from the bot's own signed markers. The forge is the memory: this is all
 * that is needed to go on after Redis was lost. State is merged upwards only, so restoring an older edit gains nothing.
 */
import { ForgeComment } from '../../forge/port-facts.ts';
import { CommitSha, FindingId } from '../../vocabulary/ids.ts';
import { compareInputs, type Input, inputOf, type KnownInput } from './input.ts';
import type { RememberedCommand, ReplyScope, SummaryMarker } from './marker-payload.ts';
import { ThreadProgress } from './thread.ts';
import { Place, type Verdict } from '../../vocabulary/finding.ts';
import type { Spent } from '../../vocabulary/spent.ts';
import { z } from 'zod';

/** One finding ever raised, with its place at `head`. */
export const Thread = ThreadProgress.extend({
  id: FindingId,
  fingerprint: z.string(),
  blocking: z.boolean(),
  /** The round that raised it. */
  round: z.number().int().nonnegative(),
  place: Place,
  head: CommitSha.nullable(),
  title: z.string(),
  rule: z.string().nullable(),
  /** Its own inline comment; null when it was only listed, or somebody deleted it. */
  comment: ForgeComment.nullable(),
  /** The head at which it was handed to a human; absent: never, or nobody knows any more. */
  settledAt: CommitSha.optional(),
  /** The head of its last cycle. Absent: it was opened at `head` and not handled since. */
  cycledAt: CommitSha.optional(),
  /** Its author service has told since that cycle that it leaves the finding as it is. Absent: no. */
  declined: z.literal(true).optional(),
  /** Where it was found last. Absent: where it was raised. */
  today: Place.optional(),
  /** The head that this counts in. Absent: the last reviewed one. */
  todayAt: CommitSha.optional(),
  /** Closed, and raised again since in a way that opens no thread. Absent: no. */
  again: z.literal(true).optional(),
}).readonly();
export type Thread = z.output<typeof Thread>;

/** Where a reader finds it now. */
export const placeToday = ({ place, today }: Pick<Thread, 'place' | 'today'>): Place => today ?? place;

export type ReviewedInput = KnownInput & {
  readonly base: CommitSha;
  readonly fingerprint: string;
  readonly round: number;
  readonly verdict: Verdict;
  /** False when files were left out. */
  readonly complete?: boolean | undefined;
  readonly seenBy?: 'model' | 'rules' | undefined;
  /** True: nothing but its threads kept it from a pass. */
  readonly clear?: boolean | undefined;
  /** True: nothing but its CI kept it from a pass. */
  readonly onlyCi?: true | undefined;
  /** Hash of what its target branch and the operator asked of the code. */
  readonly rules: string;
  /** True: nothing but validations, alone or with its CI, kept it from a pass. */
  readonly onlyChecks?: true | undefined;
  /** True: a budget of the reviewer was used up before the review came to its end. */
  readonly exceeded?: true | undefined;
  /** The operator's commands that were run on it. */
  readonly commands?: readonly RememberedCommand[] | undefined;
};

/** The run that the summary announces. A re-evaluation is not announced. */
export type AnnouncedRun = Input & {
  readonly runId: string;
  readonly round: number;
  readonly attempt: number;
  /** Epoch ms. */
  readonly deadlineMs: number;
} & (
    | { readonly kind: 'review'; readonly full?: true | undefined }
    | { readonly kind: 'carry' }
    | { readonly kind: 'reply'; readonly scope: ReplyScope }
  );

export type FixHistory = {
  readonly used: number;
  /** The last round that a fix was ordered for; 0: none. */
  readonly round: number;
  /** Trees that fixes have pushed. */
  readonly trees: readonly string[];
};

export type History = {
  readonly summary: { readonly comment: ForgeComment; readonly marker: SummaryMarker } | null;
  readonly threads: readonly Thread[];
  readonly roundsDone: number;
  /** Of the round in progress: announced attempts, the running one included. */
  readonly attempts: number;
  readonly runsUsed: number;
  readonly supersededInRow: number;
  readonly running: AnnouncedRun | null;
  readonly reviewed: readonly ReviewedInput[];
  /** Inputs that got a last word without a round. */
  readonly closed: readonly Input[];
  /** Oldest first, one per input. */
  readonly handoffs: readonly HandedOver[];
  readonly verdict: Verdict | null;
  readonly spent: Spent | null;
  /** The first unused display number. */
  readonly nextNumber: number;
  readonly fixes: FixHistory;
  /** Rounds granted beyond the cap. */
  readonly grants: number;
  /** How often it was paused and resumed; odd while paused. */
  readonly pauses: number;
  /** How often heads were closed because something was away, and the one that waits for that now. */
  readonly outages: number;
  readonly parked: (Input & { readonly retryAtMs: number }) | null;
  /** A good signature under somebody else's name: stop and call the operator instead of starting over. */
  readonly disowned: boolean;
};

export const HandedOver = z.object({
  head: CommitSha,
  /** The round that it was said in, or after. */
  round: z.number().int().nonnegative(),
  /** Short code, such as `max_rounds_exceeded`. */
  reason: z.string(),
  /** When it was said, epoch ms by the clock of the forge. */
  atMs: z.number().int().nonnegative(),
});
export type HandedOver = z.output<typeof HandedOver>;

export const lastReviewed = ({ reviewed }: History): ReviewedInput | null =>
  reviewed.toSorted((one, other) => one.round - other.round).at(-1) ?? null;

/** Whether it is about what the forge shows now, for sure. */
export const isPresent = (entry: ReviewedInput | null, facts: Parameters<typeof inputOf>[0]): entry is ReviewedInput =>
  entry !== null && compareInputs(entry, inputOf(facts)) === 'same';
