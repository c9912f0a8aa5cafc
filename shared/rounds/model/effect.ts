import { z } from 'zod';
import { Cap } from './counts.ts';
import { CiReading } from './ci.ts';
import { InboxEvent, OutageKind } from './events.ts';
import { Input } from './input.ts';
import { CommandReply } from './command-reply.ts';
import { CommitSha, RunId } from '../../vocabulary/ids.ts';
import { Verdict } from '../../vocabulary/finding.ts';
import { GateResult, Handled } from './gate-result.ts';
import { ReevaluateRun, ReplyRun, ReviewRun, Run } from './run.ts';
import { Spent } from '../../vocabulary/spent.ts';
import { Fix, FixRefusal } from './fixes.ts';

/** In UTF-16 units: as long as a status may be. */
export const MAX_WAITS_LENGTH = 140;

const FailureCode = z.string().max(80);

/** Effects are saved with the state before they are carried out: a crash may repeat an effect but cannot lose it. */
export const Effect = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('announce'), run: Run, runsUsed: z.number().int(), supersededInRow: z.number().int() }),
  /** Acknowledges the trigger: a reaction to the comment and a pending status, before any other work. */
  z.object({
    kind: z.literal('acknowledge'),
    input: Input,
    noteId: z.number().int().nullable(),
    noticeId: RunId,
  }),
  z.object({ kind: z.literal('review'), run: Run }),
  /** The draft of the review is in the store. `ci`: the CI result when the review was ready; null if CI does not matter. */
  z.object({ kind: z.literal('post_review'), run: ReviewRun, gated: GateResult, ci: CiReading.nullable() }),
  z.object({ kind: z.literal('post_carried'), run: ReviewRun, ci: CiReading.nullable() }),
  /** Posts replies in threads and the resulting verdict; if there are no replies, only the verdict. */
  z.object({
    kind: z.literal('post_replies'),
    run: z.union([ReplyRun, ReevaluateRun]),
    handled: z.array(Handled).readonly(),
    spent: Spent,
    ci: CiReading.nullable(),
  }),
  z.object({
    kind: z.literal('give_up'),
    run: Run,
    code: FailureCode,
    /** Set if the run is not counted and its head is retried. `untilMs` null: retried after a restart. */
    outage: z
      .object({ what: OutageKind, retry: z.number().int().positive(), untilMs: z.number().int().nullable() })
      .optional(),
  }),
  z.object({
    kind: z.literal('tell_outage'),
    run: Run,
    what: OutageKind,
    code: z.string().max(80),
    noticeId: RunId,
  }),
  z.object({ kind: z.literal('post_cap'), input: Input, cap: Cap, noticeId: RunId }),
  /** `pending`: set the status to pending, because the commit has no status, or the status of another input. */
  z.object({ kind: z.literal('withdraw_approval'), input: Input, pending: z.boolean(), noticeId: RunId }),
  /** Rewrites the status of a commit from the state of all its open change requests. */
  z.object({
    kind: z.literal('write_status'),
    head: CommitSha,
    noticeId: RunId,
    /** True if a review of the commit is due; then the status is written even if the commit has none. */
    isDue: z.boolean().default(false),
    /** True if the change request no longer has this head; then its pending status is ended. */
    left: z.boolean().default(false),
    /** Why the review cannot start. Null if nothing prevents it. */
    waits: z.string().max(MAX_WAITS_LENGTH).nullable().default(null),
  }),
  /** The change request ended while these heads waited for a verdict. */
  z.object({ kind: z.literal('post_closed'), heads: z.array(CommitSha), noticeId: RunId }),
  z.object({ kind: z.literal('schedule'), event: InboxEvent, delayMs: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('announce_fix'), fix: Fix }),
  z.object({ kind: z.literal('fix'), fix: Fix }),
  z.object({ kind: z.literal('tell_fix'), fix: Fix }),
  z.object({
    kind: z.literal('refuse_fix'),
    head: CommitSha,
    noteId: z.number().int(),
    refusal: FixRefusal,
    noticeId: RunId,
  }),
  z.object({
    kind: z.literal('answer'),
    head: CommitSha,
    /** `commandKey` of the comment with the command, and the thread that contains it. */
    note: z.string().max(60),
    threadId: z.string().nullable(),
    say: CommandReply,
    noticeId: RunId,
  }),
  /** Wakes a run that waits for an external reviewer. */
  z.object({ kind: z.literal('resume_review'), runId: RunId }),
  z.object({
    kind: z.literal('tell_author'),
    head: CommitSha,
    review: z.number().int().positive(),
    verdict: Verdict,
    failed: z.boolean(),
    exceeded: z.boolean(),
    /** The time of the message in epoch ms. It stays the same if the effect is repeated. */
    atMs: z.number().int().nonnegative(),
  }),
  z.object({ kind: z.literal('acquire_slot') }),
  z.object({ kind: z.literal('release_slot') }),
]);
export type Effect = z.output<typeof Effect>;

export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>;
