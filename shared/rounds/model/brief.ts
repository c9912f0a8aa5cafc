/** What guard tells a reviewer about a run: everything that only the forge knows, because the reviewer has no forge token. */
import { z } from 'zod';
import { HandedOver } from './history.ts';
import { BranchName } from './input.ts';
import { ChangeRequest, CommitSha, FindingId, RunId } from '../../vocabulary/ids.ts';
import { Action, AlsoRules, Place, Severity, Stance, Verdict } from '../../vocabulary/finding.ts';

export const BriefThread = z.object({
  id: FindingId,
  fingerprint: z.string(),
  severity: Severity,
  blocking: z.boolean(),
  title: z.string(),
  /** The comment's text below the title, without code. Absent if there is none. */
  words: z.string().optional(),
  /** The comment's text below the title, with code. Absent if there is none. */
  body: z.string().optional(),
  suggestion: z.string().optional(),
  /** The head of the thread's last cycle. Absent if it equals `head`. */
  cycledAt: CommitSha.optional(),
  /** Set when the thread is attached to lines of the diff, because the finding is about lines that the change edits. */
  inline: z.literal(true).optional(),
  /** Set when the code was outside the diff of the last reviewed input. */
  outside: z.literal(true).optional(),
  /** Set if the finding was only listed in the summary. */
  listed: z.literal(true).optional(),
  /** Set if people or the author's report have answered since the last cycle. */
  answered: z.literal(true).optional(),
  rule: z.string().nullable(),
  alsoRules: AlsoRules,
  place: Place,
  /** The head that the lines of `place` belong to. Null if only the ledger knew the thread. */
  head: CommitSha.nullable(),
  count: z.number().int().nonnegative(),
  stance: Stance,
  legalActions: z.array(Action),
  review: z.number().int().positive(),
  /** Set if the thread was handed to a human. `head`: the head at that time, otherwise the last reviewed head, otherwise null. */
  settled: z.object({ head: CommitSha.nullable() }).optional(),
  /** Human replies in the thread, oldest first. */
  replies: z.array(z.object({ author: z.string(), text: z.string() })).default([]),
});
export type BriefThread = z.output<typeof BriefThread>;

export const BriefComment = z.object({
  author: z.string(),
  atMs: z.number(),
  text: z.string(),
  where: z.object({ path: z.string(), line: z.number().int() }).nullable(),
  resolved: z.boolean(),
});
export type BriefComment = z.output<typeof BriefComment>;

/** An issue that the change request closes. Untrusted data. */
export const BriefIssue = z.object({ number: z.number().int(), title: z.string(), text: z.string() });
export type BriefIssue = z.output<typeof BriefIssue>;

export const Brief = z.object({
  v: z.literal(1),
  changeRequest: ChangeRequest,
  /** The project's path when the run began, by which its settings are found. Absent if the forge did not say it. */
  projectPath: z.string().optional(),
  runId: RunId,
  head: CommitSha,
  targetHead: CommitSha,
  targetBranch: BranchName,
  /** The merge base that the forge reports. Null if the forge reports none. */
  mergeBase: CommitSha.nullable().default(null),
  /** The source branch; empty if it is unknown. */
  sourceBranch: z.string().default(''),
  title: z.string(),
  description: z.string(),
  author: z.string(),
  /** Address of the change request's page for people. Null if it is unknown. */
  webUrl: z.string().nullable().default(null),
  git: z.object({
    url: z.string(),
    headRef: z.string(),
    branch: z.object({ url: z.string(), name: z.string() }).nullable().default(null),
  }),
  review: z.number().int().positive(),
  attempt: z.number().int().positive(),
  stage: z.enum(['open', 'final', 'closing']),
  /**
   * - `review`: the head is reviewed.
   * - `reply`: the head was reviewed before. Only the open threads are answered, and new findings are dropped.
   */
  kind: z.enum(['review', 'reply']).default('review'),
  /** Threads that may need an answer. A thread that was touched or answered needs exactly one action. All others wait. */
  openThreads: z.array(BriefThread),
  /** Threads that were closed or handed to a human: context for the model, which cannot act on them. */
  closedThreads: z.array(BriefThread),
  /** P0 and P1 claims whose quoted evidence was not found. The review confirms or refutes each of them. */
  unverified: z.array(BriefThread).default([]),
  /** The newest comments of other people, oldest first. Untrusted data. */
  comments: z.array(BriefComment).default([]),
  issues: z.array(BriefIssue).default([]),
  /** CI jobs or contexts of the head that have failed so far. Empty if none has, or if CI could not be read. */
  failedChecks: z.array(z.string()).default([]),
  handoff: HandedOver.extend({ webUrl: z.string() }).nullable().default(null),
  instructions: z.string().nullable().default(null),
  /**
   * A file or folder that the previous review left out: only this is reviewed. Null: everything that was left out is
   * reviewed.
   */
  only: z.string().nullable().default(null),
  /** The last review that was complete, or that left out only files that can be named, for comparison with the current one. */
  previous: z
    .object({
      head: CommitSha,
      base: CommitSha,
      fingerprint: z.string(),
      verdict: Verdict,
      /** Who reviewed every line. Absent if this is unknown. */
      seenBy: z.enum(['model', 'rules']).optional(),
      /** What that review left out; see `leftEntries`. Absent if it was complete. */
      left: z.array(z.string()).readonly().optional(),
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
  reviewOnBaseChange: z.boolean().default(false),
});
export type Brief = z.output<typeof Brief>;
