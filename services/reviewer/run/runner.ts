import type { ExceededBudget } from '../../../shared/vocabulary/exceeded.ts';
import type { ChangeRequest, FindingId, RunId } from '../../../shared/vocabulary/ids.ts';
import type { DraftFinding, Refutation, ReportedFix, ThreadAnswer } from '../../../shared/vocabulary/finding.ts';
import type { OmittedFile } from '../../../shared/vocabulary/coverage.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { Walkthrough } from '../../../shared/vocabulary/walkthrough.ts';
import type { Explorers } from './explorers.ts';
import type { Looked } from '../packet/looked.ts';
import type { Packet } from '../packet/packet.ts';
import type { ReviewTask } from './prompt.ts';

export type RunnerDraft = {
  readonly summary: string;
  readonly walkthrough?: Walkthrough;
  readonly findings: readonly DraftFinding[];
  /** Exactly one per open thread of the packet, unless a budget ran out. */
  readonly answers: readonly ThreadAnswer[];
  /** Settled threads reported fixed; absent when there are none. */
  readonly fixed?: readonly ReportedFix[];
  /** Unverified claims reported refuted; absent when there are none. */
  readonly refuted?: readonly Refutation[];
  /** Open threads whose rule completed over their file and no longer fires; absent when there are none. */
  readonly silent?: readonly FindingId[];
  readonly omitted: readonly OmittedFile[];
  readonly looked: Looked;
  readonly spent: Spent;
  /** The budget that cut the review short; null when none did. */
  readonly exceeded: ExceededBudget | null;
};

export type RunScope = {
  readonly runId: RunId;
  readonly changeRequest: ChangeRequest;
  readonly maxTurns: number;
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
  /** Explorers are running; another execution of the run continues when they have ended. */
  | { readonly kind: 'waits' }
  /** An external reviewer is working; the run checks again after the delay, or earlier when it is woken. */
  | { readonly kind: 'sleeps'; readonly delayMs: number }
  | { readonly kind: 'superseded' }
  /** A failed attempt. `rawText`: model output that could not be read as a review; null when there is none. */
  | { readonly kind: 'failed'; readonly code: string; readonly rawText: string | null };

/** Contract: obeys the signal; throws `AppError` when a retry may help; writes to no forge; a second execution resumes. */
export type Runner = {
  readonly name: string;
  /** The model that it asks. Absent when it asks none, or its model is unknown. */
  readonly model?: string;
  readonly run: (input: RunnerInput, signal: AbortSignal) => Promise<RunnerResult>;
  /** Called before anything is fetched. Contract: ms if `run` would only answer `sleeps` with this delay; else null. */
  readonly sleepsFor?: (of: ChangeRequest, runId: RunId) => Promise<number | null>;
  /** Contract: called when the run has ended, for whatever reason; idempotent. */
  readonly leave?: (of: ChangeRequest, runId: RunId) => Promise<void>;
};
