/** What guard tells a reviewer about a run: everything that only the forge knows. The reviewer has no forge token. */
import { z } from 'zod';
import { HandedOver } from './history.ts';
import { BranchName } from './input.ts';
import { ChangeRequest, CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { Action, Place, Severity, Stance, Verdict } from '../../vocabulary/finding.ts';

export const BriefThread = z.object({
  id: FindingId,
  fingerprint: z.string(),
  severity: Severity,
  blocking: z.boolean(),
  title: z.string(),
  /** What its comment says below the title; absent when there is none. */
  words: z.string().optional(),
  /** All that its comment says below the title, code included; absent when there is none. */
  body: z.string().optional(),
  /** The code that its comment suggests for its lines; absent when there is none. */
  suggestion: z.string().optional(),
  /** The head of its last cycle. Absent: that of `head`. */
  cycledAt: CommitSha.optional(),
  /** People, or the author's account, have answered it since. Absent: no. */
  answered: z.literal(true).optional(),
  rule: z.string().nullable(),
  place: Place,
  /** The head that `place` counts in; null when only the ledger knew it. */
  head: CommitSha.nullable(),
  count: z.number().int().nonnegative(),
  stance: Stance,
  legalActions: z.array(Action),
  round: z.number().int().positive(),
  /** Present for one that was handed to a human: the head then, or the one reviewed last; null when neither is known. */
  settled: z.object({ head: CommitSha.nullable() }).optional(),
  /** What people answered in it, oldest first. */
  replies: z.array(z.object({ author: z.string(), text: z.string() })).default([]),
});
export type BriefThread = z.output<typeof BriefThread>;

export const BriefComment = z.object({
  author: z.string(),
  atMs: z.number(),
  text: z.string(),
  /** Null for a comment on the whole change. */
  where: z.object({ path: z.string(), line: z.number().int() }).nullable(),
  resolved: z.boolean(),
});
export type BriefComment = z.output<typeof BriefComment>;

export const Brief = z.object({
  v: z.literal(1),
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  targetHead: CommitSha,
  targetBranch: BranchName,
  /** Merge base as the forge gives it; null when it gives none. */
  mergeBase: CommitSha.nullable().default(null),
  /** Empty: unknown. */
  sourceBranch: z.string().default(''),
  title: z.string(),
  description: z.string(),
  author: z.string(),
  git: z.object({
    url: z.string(),
    headRef: z.string(),
    branch: z.object({ url: z.string(), name: z.string() }).nullable().default(null),
  }),
  round: z.number().int().positive(),
  attempt: z.number().int().positive(),
  finalRound: z.boolean(),
  /**
   * `carry`: no round is left, so the verdict of a reviewed input is carried, or there is none. `reply`: the head has been
   * reviewed; only the open threads are answered, and new findings are dropped.
   */
  kind: z.enum(['review', 'carry', 'reply']).default('review'),
  /** Each needs exactly one action. */
  openThreads: z.array(BriefThread),
  /** Closed or handed over: to be known, not to be argued. */
  closedThreads: z.array(BriefThread),
  /** Grave claims whose evidence nobody has found: each is to be confirmed or refuted. */
  unverified: z.array(BriefThread).default([]),
  /** The newest words of others, oldest first; data, whatever they say. */
  comments: z.array(BriefComment).default([]),
  /** The last time that a human was called, and where the change request is; null: never. */
  handoff: HandedOver.extend({ webUrl: z.string() }).nullable().default(null),
  /** What a commander asked the review to look at; null for nothing. */
  instructions: z.string().nullable().default(null),
  /** The last complete round, for the delta. */
  previous: z
    .object({
      head: CommitSha,
      base: CommitSha,
      fingerprint: z.string(),
      verdict: Verdict,
      /** Who looked at it; absent: unknown. */
      seenBy: z.enum(['model', 'rules']).optional(),
    })
    .nullable(),
  /** Reviewed inputs whose verdict may be carried to this head, newest first. */
  carriable: z
    .array(
      z.object({
        head: CommitSha,
        base: CommitSha,
        target: BranchName,
        fingerprint: z.string(),
        rules: z.string(),
      }),
    )
    .default([]),
  /** Whether the same change on a newer target branch is reviewed again. */
  reviewOnBaseChange: z.boolean().default(false),
});
export type Brief = z.output<typeof Brief>;
