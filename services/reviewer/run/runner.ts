import type { ExceededBudget } from '../../../shared/vocabulary/exceeded.ts';
import type { ChangeRequest, FindingId, RunId } from '../../../shared/vocabulary/ids.ts';
import type { DraftFinding, Refutation, ReportedFix, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { Explorers } from './explorers.ts';
import type { Looked } from '../packet/looked.ts';
import type { Packet } from '../packet/packet.ts';
import type { ReviewTask } from './prompt.ts';

/** What a runner found, before anybody has checked it. */
export type RunnerDraft = {
  readonly summary: string;
  readonly findings: readonly DraftFinding[];
  /** Exactly one per open thread of the packet, unless a budget ran out. */
  readonly answers: readonly ThreadAnswer[];
  /** Settled threads that it reports fixed; absent: none. */
  readonly fixed?: readonly ReportedFix[];
  /** Unverified claims that it reports not to hold; absent: none. */
  readonly refuted?: readonly Refutation[];
  /** Open threads whose rule ran to its end over their file and does not fire any more; absent: none. */
  readonly silent?: readonly FindingId[];
  /** Files of the packet that it could not look at after all. */
  readonly omitted: readonly OmittedFile[];
  /** Who looked at what. */
  readonly looked: Looked;
  readonly spent: Spent;
  /** The budget that ended the review before its end; null when none did. */
  readonly exceeded: ExceededBudget | null;
};

/** On whose behalf a runner works, within what. */
export type RunScope = {
  readonly runId: RunId;
  readonly changeRequest: ChangeRequest;
  readonly maxTurns: number;
  /** Active time. */
  readonly maxRuntimeS: number;
  readonly explorers: Explorers;
  readonly isSuperseded: () => Promise<boolean>;
};

export type RunnerInput = {
  readonly packet: Packet;
  readonly task: ReviewTask;
  readonly revisions: Revisions;
  readonly scope: RunScope;
};

export type RunnerResult =
  | { readonly kind: 'draft'; readonly draft: RunnerDraft }
  /** Explorers are at work; another execution of the same run goes on when they have ended. */
  | { readonly kind: 'waits' }
  /** Somebody outside is at work; the run looks again after the delay, or sooner when it is woken. */
  | { readonly kind: 'sleeps'; readonly delayMs: number }
  | { readonly kind: 'superseded' }
  /** A failed attempt. `rawText`: what a model wrote that could not be read as a review. */
  | { readonly kind: 'failed'; readonly code: string; readonly rawText: string | null };

/**
 * One way to review a packet.
 * Contract: obeys the signal; throws `AppError` when trying again later may help; writes to no forge; a second
 * execution of the same run goes on where the first one stood.
 */
export type Runner = {
  readonly name: string;
  readonly run: (input: RunnerInput, signal: AbortSignal) => Promise<RunnerResult>;
  /** Asked before anything is fetched. Contract: ms that a run sleeps on, for which `run` would only answer that; else null. */
  readonly sleepsFor?: (of: ChangeRequest, runId: RunId) => Promise<number | null>;
  /** Contract: the run has ended, in whatever way; idempotent. */
  readonly leave?: (of: ChangeRequest, runId: RunId) => Promise<void>;
};
