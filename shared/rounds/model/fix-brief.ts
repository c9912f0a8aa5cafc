/** What guard tells the author about one fix: everything that only the forge's markers and comments know. */
import { z } from 'zod';
import { BranchName } from './input.ts';
import { ChangeRequest, CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { Place, Severity } from '../../vocabulary/finding.ts';

export const FixFinding = z.object({
  id: FindingId,
  fingerprint: z.string(),
  severity: Severity,
  title: z.string(),
  /** The finding's own comment as it stands on the forge, without markers; empty when it has none. */
  text: z.string(),
  rule: z.string().nullable(),
  place: Place,
});
export type FixFinding = z.output<typeof FixFinding>;

export const FixBrief = z.object({
  v: z.literal(1),
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  /** Merge base of the round that is answered: what lies between is the change request. */
  base: CommitSha,
  round: z.number().int().positive(),
  sourceBranch: z.string(),
  targetBranch: BranchName,
  /** Its tip when that merge base was computed. */
  targetHead: CommitSha,
  git: z.object({
    url: z.string(),
    headRef: z.string(),
    branch: z.object({ url: z.string(), name: z.string() }).nullable().default(null),
  }),
  findings: z.array(FixFinding),
  /** Heads of completed rounds: a fix that gives the tree of one of them back goes round in circles. */
  reviewedHeads: z.array(CommitSha),
  /** Trees that earlier fixes have pushed. */
  seenTrees: z.array(z.string()),
  /** The commander who asked; whether that still is one is asked again. Null when guard ordered it by itself. */
  requester: z.object({ id: z.number().int(), login: z.string() }).nullable(),
  /** Epoch ms: dates the commit, so that the same change makes the same commit. */
  orderedAtMs: z.number().int().nonnegative(),
});
export type FixBrief = z.output<typeof FixBrief>;
