/** One attempt to review, to carry a verdict, to reply in threads, or to re-evaluate a verdict. */
import { z } from 'zod';
import { ReplyScope } from './marker-payload.ts';
import { Carried } from './carried.ts';
import { OutageKind } from './events.ts';
import { Input } from './input.ts';
import { RunId } from '../../vocabulary/ids.ts';

/**
 * - `announcing`: the poster writes pending status and marker; left by its report.
 * - `reviewing`: the review job exists; left by drafted, superseded, failed or overdue.
 * - `waiting_ci`: the result is ready and would pass, but the CI of its head has not ended; left by its end, the deadline
 *   or a newer head.
 * - `posting`: the plan of the result is with the poster; left by its report.
 * - `giving_up`: every attempt failed; the poster writes the hand-off; left by its report.
 */
export const RunPhase = z.enum(['announcing', 'reviewing', 'waiting_ci', 'posting', 'giving_up']);
export type RunPhase = z.output<typeof RunPhase>;

const RunBase = Input.extend({
  runId: RunId,
  round: z.number().int().positive(),
  attempt: z.number().int().positive(),
  phase: RunPhase,
  /** The plan that the poster works on, in the phases that wait for it. */
  planId: z.string().nullable(),
  /** Present once its job has waited for something that is away, in this phase: its deadline has moved for that. */
  waits: z.object({ what: OutageKind, code: z.string().max(80) }).optional(),
  /** Only while it waits for CI: when it looks again at the latest. Epoch ms. */
  nextLookMs: z.number().int().optional(),
  /** Epoch ms: past it the run counts as failed, in every phase but `waiting_ci`, which it ends. */
  deadlineMs: z.number().int(),
});

/** Present once it is known that this change has been reviewed: its verdict is carried, and no round is used. */
const carried = { carried: Carried.optional() };

/** Reviews the change. It becomes a round when its result is posted. */
export const ReviewRun = RunBase.extend({
  kind: z.literal('review'),
  /** It is not superseded by a newer head: two runs in a row were. */
  mustFinish: z.boolean(),
  /** What the commander who asked for it wrote beside the mention; absent for nothing. */
  instructions: z.string().max(4000).optional(),
  /** Present for a review of the whole change, whatever was reviewed before. */
  full: z.literal(true).optional(),
  ...carried,
});
export type ReviewRun = z.output<typeof ReviewRun>;

/** No round is left: it carries the verdict of the same input, or ends without one. It calls no model. */
export const CarryRun = RunBase.extend({ kind: z.literal('carry'), ...carried });
export type CarryRun = z.output<typeof CarryRun>;

/** Reviews nothing, and replies in threads of its round. */
export const ReplyRun = RunBase.extend({ kind: z.literal('reply'), scope: ReplyScope });
export type ReplyRun = z.output<typeof ReplyRun>;

/** Calls nobody: the verdict of the last round is judged again, after a dismissal or with other CI. */
export const ReevaluateRun = RunBase.extend({ kind: z.literal('reevaluate') });
export type ReevaluateRun = z.output<typeof ReevaluateRun>;

export const Run = z.discriminatedUnion('kind', [ReviewRun, CarryRun, ReplyRun, ReevaluateRun]);
export type Run = z.output<typeof Run>;

export const mustFinish = (run: Run): boolean => run.kind === 'review' && run.mustFinish;

/** What it carries; undefined for a run that carries nothing, or does not know yet. */
export const carriedBy = (run: Run): Carried | undefined =>
  run.kind === 'review' || run.kind === 'carry' ? run.carried : undefined;
