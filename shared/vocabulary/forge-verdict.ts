/** The bot's approvals and requests for changes on a forge. */
import { z } from 'zod';
import type { CommitSha } from './ids.ts';

export const ForgeVerdictPolicy = z.enum(['off', 'request_changes', 'approve_and_request_changes']);
export type ForgeVerdictPolicy = z.output<typeof ForgeVerdictPolicy>;

export type ForgeVerdict = 'approved' | 'changes_requested';

export type StandingVerdict = {
  readonly verdict: ForgeVerdict;
  /** Null if the forge does not report the commit. */
  readonly head: CommitSha | null;
  /** True if somebody dismissed the verdict; it then has no effect. */
  readonly dismissed: boolean;
  /** True if the bot was asked for another review since; the verdict then has no effect until the request is withdrawn. */
  readonly askedAgain: boolean;
};

/**
 * - `own`: the bot's account opened the change request.
 * - `unpublished_draft`: somebody is writing a review under the bot's account, which would also be published.
 * - `head_moved`: the verdict is about another head.
 */
export type VerdictRefusal =
  | 'own'
  | 'forbidden'
  | 'unpublished_draft'
  | 'not_a_reviewer'
  | 'not_offered'
  | 'head_moved';

/**
 * The verdict that the bot should have on the forge:
 * - `approve`, `request_changes`: exactly this verdict.
 * - `clear`: neither of them.
 * - `no_approval`: an approval is withdrawn. A request for changes stays, because nothing shows that the changes were
 *   made.
 */
export const PlannedForgeVerdict = z.enum(['approve', 'request_changes', 'clear', 'no_approval']);
export type PlannedForgeVerdict = z.output<typeof PlannedForgeVerdict>;
