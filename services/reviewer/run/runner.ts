import type { RefutedClaim } from '../../../shared/rounds/model/draft.ts';
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
  /** The answers: exactly one for each open thread of the packet, unless a budget ran out. */
  readonly answers: readonly ThreadAnswer[];
  /** Settled threads that were reported as fixed; absent if there are none. */
  readonly fixed?: readonly ReportedFix[];
  /** Unverified claims that were reported as refuted; absent if there are none. */
  readonly refuted?: readonly Refutation[];
  /** P0 and P1 findings that no verifier confirmed; absent if there are none. */
  readonly doubted?: ReadonlySet<DraftFinding>;
  readonly refutedClaims?: readonly RefutedClaim[];
  /** P0 and P1 threads whose fix elsewhere a verifier confirmed; absent if there are none. */
  readonly verifiedFixes?: ReadonlySet<FindingId>;
  /** Open threads whose rule checked their file completely and no longer fires; absent if there are none. */
  readonly silent?: readonly FindingId[];
  /**
   * Open threads in a part of the change that was not reviewed, so no reviewer was asked about them; absent if there
   * are none.
   */
  readonly unanswered?: readonly FindingId[];
  readonly omitted: readonly OmittedFile[];
  /** Paths outside of the change that were reported as not reviewed; absent if there are none. */
  readonly notOfChange?: readonly string[];
  readonly looked: Looked;
  /**
   * The boundaries of the conversations, which were removed from every file that the model saw. Absent without a model.
   */
  readonly boundaries?: readonly string[];
  readonly spent: Spent;
  /** The budget that ended the review early; null if none did. */
  readonly exceeded: ExceededBudget | null;
  /** The models that took over from the runner's model when it failed, in order. */
  readonly tookOver?: readonly string[];
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
  /** Explorers are running; when they have ended, another execution of the run continues. */
  | { readonly kind: 'waits' }
  /**
   * An external reviewer is working. The run checks for the reviewer's answer after the delay, or earlier if it is
   * woken.
   */
  | { readonly kind: 'sleeps'; readonly delayMs: number }
  | { readonly kind: 'superseded' }
  /** The attempt failed. `rawText`: model output that could not be read as a review; null if there is none. */
  | { readonly kind: 'failed'; readonly code: string; readonly rawText: string | null };

/** Contract: obeys the signal; throws `AppError` if a retry may help; writes to no forge; a second execution resumes the first. */
export type Runner = {
  readonly name: string;
  /** The name of the runner's model. Absent if it uses no model or if the name is unknown. */
  readonly model?: string;
  readonly run: (input: RunnerInput, signal: AbortSignal) => Promise<RunnerResult>;
  /**
   * Contract: called before any fetch. Returns a delay in ms if `run` would only return `sleeps` with that delay;
   * otherwise null.
   */
  readonly sleepsFor?: (of: ChangeRequest, runId: RunId) => Promise<number | null>;
  /** Contract: called when the run has ended, for whatever reason; idempotent. */
  readonly leave?: (of: ChangeRequest, runId: RunId) => Promise<void>;
};
