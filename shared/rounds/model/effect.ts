/** What guard has decided to do outside. */
import { z } from 'zod';
import { CiReading } from './ci.ts';
import { InboxEvent, OutageKind } from './events.ts';
import { Input } from './input.ts';
import { CommandReply } from './command-reply.ts';
import { CommitSha, RunId } from '../../vocabulary/ids.ts';
import { Verdict } from '../../vocabulary/finding.ts';
import { GateResult, Handled } from './gate-result.ts';
import { CarryRun, ReevaluateRun, ReplyRun, ReviewRun, Run } from './run.ts';
import { Spent } from '../../vocabulary/spent.ts';
import { Fix, FixRefusal } from './fixes.ts';

/** Why a head gets a last word without a run. `identity`: our signature stands under an account that is not ours. */
export const Cap = z.enum(['rounds', 'runs', 'identity']);
export type Cap = z.output<typeof Cap>;

const FailureCode = z.string().max(80);

/** What guard still has to do outside. Saved with the state before it is carried out: a crash repeats, never forgets. */
export const Effect = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('announce'), run: Run, runsUsed: z.number().int(), supersededInRow: z.number().int() }),
  /** The trigger is seen: a reaction under the comment that asked, and a pending status, before anything else. */
  z.object({
    kind: z.literal('acknowledge'),
    input: Input,
    noteId: z.number().int().nullable(),
    noticeId: RunId,
  }),
  z.object({ kind: z.literal('review'), run: Run }),
  /** A round: its draft is in the store. `ci`: as it was read when the round was ready; null when it does not matter. */
  z.object({ kind: z.literal('post_round'), run: ReviewRun, gated: GateResult, ci: CiReading.nullable() }),
  z.object({ kind: z.literal('post_carried'), run: z.union([ReviewRun, CarryRun]), ci: CiReading.nullable() }),
  /** Replies in threads, and the verdict that they lead to; without a reply the verdict alone. */
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
    /** Present when nothing of the run counts and its head is tried again. `untilMs` null: after a restart. */
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
  /** `pending`: the status of the commit is about another input, or about none. */
  z.object({ kind: z.literal('withdraw_approval'), input: Input, pending: z.boolean(), noticeId: RunId }),
  /** The status of this commit is to be what its open change requests say. */
  z.object({
    kind: z.literal('write_status'),
    head: CommitSha,
    noticeId: RunId,
    /** Its review is due: then also where nothing was said before. */
    isDue: z.boolean().default(false),
    /** The change request has left it: what waits there is ended. */
    left: z.boolean().default(false),
    /** What keeps it from its review; null for nothing. */
    waits: z.string().max(140).nullable().default(null),
  }),
  /** The change request ended while these heads waited for their verdict. */
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
    /** `callKey` of the comment that asked, and the thread in which it stands. */
    note: z.string().max(60),
    threadId: z.string().nullable(),
    say: CommandReply,
    noticeId: RunId,
  }),
  /** The run sleeps until a reviewer outside has answered. */
  z.object({ kind: z.literal('resume_review'), runId: RunId }),
  z.object({
    kind: z.literal('tell_author'),
    head: CommitSha,
    round: z.number().int().positive(),
    verdict: Verdict,
    failed: z.boolean(),
    /** A budget of the reviewer was used up before the review came to its end. */
    exceeded: z.boolean(),
    /** Epoch ms: the time of the message, the same however often this is carried out. */
    atMs: z.number().int().nonnegative(),
  }),
  z.object({ kind: z.literal('acquire_slot') }),
  z.object({ kind: z.literal('release_slot') }),
]);
export type Effect = z.output<typeof Effect>;

export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>;
