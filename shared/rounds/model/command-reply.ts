import { z } from 'zod';
import { FindingId } from '../../vocabulary/ids.ts';
import { Cap } from './counts.ts';
import { OutageKind } from './events.ts';

/** The rules that keep a change request from its review. All except `paused` are settings of the operator. */
export const SkipRule = z.enum([
  'paused',
  'draft',
  'no_wanted_label',
  'ignored_label',
  'unwanted_author',
  'ignored_author',
  'unwanted_branch',
  'opened_off',
  'pushed_off',
]);
export type SkipRule = z.output<typeof SkipRule>;

/** What a change request is doing, or why nothing happens to it. This is the answer to a person who asks. */
export const Situation = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('skipped'), rule: SkipRule }),
  /** `carried`: the verdict for the same change is about to be posted for this head. */
  z.object({ kind: z.enum(['reviewing', 'waiting_ci', 'posting']), carried: z.boolean() }),
  z.object({
    kind: z.enum(['replying', 'reevaluating', 'giving_up', 'fixing', 'wanted', 'awaiting_report', 'settled', 'unseen']),
  }),
  z.object({ kind: z.literal('outage'), what: OutageKind }),
  /** `untilMs`: the end of the quiet time, epoch ms. */
  z.object({ kind: z.literal('quiet'), untilMs: z.number().int() }),
  /** The head waits after an outage or a configuration mistake. `untilMs` null: it is retried after a restart. */
  z.object({ kind: z.literal('parked'), untilMs: z.number().int().nullable() }),
  z.object({ kind: z.literal('capped'), cap: Cap }),
  z.object({ kind: z.literal('failed') }),
]);
export type Situation = z.output<typeof Situation>;

export const CommandReply = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['verdict', 'help']) }),
  /** `now`: the situation when the command was read. */
  z.object({ kind: z.enum(['status', 'why']), now: Situation }),
  /**
   * The request would need one more round, but no more rounds may be granted. `untilMs`: epoch ms; null means
   * permanently.
   */
  z.object({ kind: z.literal('no_grant'), untilMs: z.number().int().nullable() }),
  /** The last review left out nothing below the named path. `left`: what it left out. */
  z.object({ kind: z.literal('nothing_left'), left: z.array(z.string()).readonly() }),
  z.object({ kind: z.literal('explain'), findingId: FindingId }),
  z.object({ kind: z.literal('misread'), why: z.enum(['arguments', 'no_finding', 'no_reason', 'several']) }),
  /** `pauses`: number of pauses and resumes so far; odd while paused. `pending`: a head was waiting for its review. */
  z.object({ kind: z.literal('paused'), pauses: z.number().int().nonnegative(), pending: z.boolean() }),
  z.object({ kind: z.literal('resumed'), pauses: z.number().int().nonnegative() }),
  z.object({
    kind: z.literal('dismissed'),
    findingId: FindingId,
    by: z.number().int(),
    reason: z.string(),
    /** Set if the commander also asked for an `[[ignore]]` entry. */
    always: z.literal(true).optional(),
  }),
  /** The finding was already closed, and the commander asks for an `[[ignore]]` entry. */
  z.object({ kind: z.literal('proposed'), findingId: FindingId, reason: z.string() }),
  z.object({ kind: z.enum(['unknown_finding', 'closed_already']), findingId: FindingId }),
]);
export type CommandReply = z.output<typeof CommandReply>;

/** The number only rises, so restoring an older edit of the summary neither pauses nor resumes. */
export const isPaused = (pauses: number): boolean => pauses % 2 === 1;
