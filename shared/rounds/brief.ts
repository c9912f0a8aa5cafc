/** What guard tells a reviewer about a run: everything that only the forge knows. The reviewer has no forge token. */
import { z } from 'zod';
import { Action, ChangeRequest, CommitSha, FindingId, Place, RunId, Severity, Stance, Verdict } from './vocabulary.ts';

export const BriefThread = z.object({
  id: FindingId,
  fingerprint: z.string(),
  severity: Severity,
  blocking: z.boolean(),
  title: z.string(),
  rule: z.string().nullable(),
  place: Place,
  /** The head that `place` counts in; null when only the ledger knew it. */
  head: CommitSha.nullable(),
  count: z.number().int().nonnegative(),
  stance: Stance,
  legalActions: z.array(Action),
  round: z.number().int().positive(),
});
export type BriefThread = z.output<typeof BriefThread>;

export const Brief = z.object({
  v: z.literal(1),
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  targetHead: CommitSha,
  targetBranch: z.string(),
  title: z.string(),
  description: z.string(),
  author: z.string(),
  git: z.object({ url: z.string(), headRef: z.string() }),
  round: z.number().int().positive(),
  attempt: z.number().int().positive(),
  finalRound: z.boolean(),
  /** Each needs exactly one action. */
  openThreads: z.array(BriefThread),
  /** Closed or handed over: to be known, not to be argued. */
  closedThreads: z.array(BriefThread),
  /** The last complete round, for the delta. */
  previous: z.object({ head: CommitSha, base: CommitSha, fingerprint: z.string(), verdict: Verdict }).nullable(),
});
export type Brief = z.output<typeof Brief>;
