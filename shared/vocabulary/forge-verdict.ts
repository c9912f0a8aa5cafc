/** Verdicts as a forge keeps them: approvals and requests for changes of the bot. */
import { z } from 'zod';
import type { CommitSha } from './ids.ts';

export const ForgeVerdictPolicy = z.enum(['off', 'request_changes', 'approve_and_request_changes']);
export type ForgeVerdictPolicy = z.output<typeof ForgeVerdictPolicy>;

/** What an account says about a whole change request, beyond words. */
export type ForgeVerdict = 'approved' | 'changes_requested';

export type StandingVerdict = {
  readonly verdict: ForgeVerdict;
  /** Null where the forge does not tell for which commit it was given. */
  readonly head: CommitSha | null;
  /** Somebody lifted it: it is history and counts for nothing. */
  readonly dismissed: boolean;
  /** The bot was asked for a review since: this one counts for nothing, until that question is withdrawn. */
  readonly askedAgain: boolean;
};

/**
 * `own`: one's own change request. `unpublished_draft`: a review that somebody writes under the same account, and that
 * would be published along. `head_moved`: the verdict is about a head that is not the present one.
 */
export type VerdictRefusal =
  | 'own'
  | 'forbidden'
  | 'unpublished_draft'
  | 'not_a_reviewer'
  | 'not_offered'
  | 'head_moved';

/**
 * What shall stand on the forge, of the bot's own:
 * - `approve`, `request_changes`: exactly this.
 * - `clear`: neither.
 * - `no_approval`: an approval goes, a request for changes stays, since nobody has shown that what it asked for is done.
 */
export const PlannedForgeVerdict = z.enum(['approve', 'request_changes', 'clear', 'no_approval']);
export type PlannedForgeVerdict = z.output<typeof PlannedForgeVerdict>;
