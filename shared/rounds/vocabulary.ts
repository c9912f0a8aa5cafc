/**
 * The words of Fixpoint. Every other file uses these and no synonyms; forge-specific names stop at the adapter.
 *
 * forge           one GitLab, Forgejo or Gitea installation, by a stable id in the configuration
 * change request  a merge request or pull request: forge id + numeric project id + number
 * head SHA        full commit id at the tip of the source branch
 * run             one attempt to review one head; ends as drafted, superseded, failed or overdue
 * round           one completed review whose result was posted; counts from 1
 * packet          everything that the reviewer is given at the start of a round
 * finding         one claim about the code: place, severity, evidence
 * severity        P0 always blocks, P1 blocks, P2 the reviewer judges, P3 is a nit and never blocks
 * relation        of a finding to the change; `outside_diff` never blocks
 * thread          the discussion that the bot opened for one finding
 * cycle           one handling of an open thread, in a round or as an answer to a human
 * action          resolve, veto, escalate or reply: exactly one per open thread per cycle
 * stance          seeks_change or accepts
 * nit             a deferred non-blocking item with owner and next action
 * verdict         lgtm, feedback or inconclusive
 * gate            the pure filter between what a runner drafted and what may be posted
 * budget          what may still be spent: turns, wall time, tokens, money
 * marker          the signed hidden comment by which the bot finds its own words again
 * hand-off        the one comment that calls the operator, with the ways to unblock
 * mode            change (default) or codebase (audit of a tree without a diff)
 * operator        whoever runs Fixpoint
 * commander       a user with write access to the project
 */
import { z } from 'zod';
import { CommitSha, RunId } from '../vocabulary/ids.ts';
import { DraftFinding, ThreadAnswer } from '../vocabulary/finding.ts';
import { Coverage } from '../vocabulary/coverage.ts';
import { Spent } from '../vocabulary/spent.ts';

/** What one run produces. It is never a comment: guard decides what of it may be posted. */
export const Draft = z.object({
  runId: RunId,
  head: CommitSha,
  base: CommitSha,
  summary: z.string().max(20_000),
  findings: z.array(DraftFinding).max(500),
  answers: z.array(ThreadAnswer).max(500),
  coverage: Coverage,
  spent: Spent,
});
export type Draft = z.output<typeof Draft>;
