import type { Trial } from '../../../shared/agent/tools/validate.ts';
import type { Decline, FixFinding } from '../../../shared/rounds/model/fix-brief.ts';
import type { ChangeRequest, CommitSha, FindingId, RunId } from '../../../shared/vocabulary/ids.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import type { AuthorFile } from './decide-change.ts';

export type FixTask = {
  readonly changeRequest: ChangeRequest;
  readonly runId: RunId;
  readonly head: CommitSha;
  readonly round: number;
  readonly findings: readonly FixFinding[];
  /** The tree of the head as plain files, without git data, for this fix alone. */
  readonly root: string;
  /** Paths of the change request: the only files of the head that a fix may touch. */
  readonly paths: readonly string[];
  /** Why this file cannot be added beside the other paths of the fix, or null; absent where no file may be. */
  readonly whyNotNew?: (path: string, others: readonly string[], signal: AbortSignal) => Promise<string | null>;
  readonly limits: { readonly maxTurns: number; readonly maxRuntimeMs: number };
  /**
   * What the operator's commands say about the head with these changes; absent where there are none, or no cage. Throws
   * what a failing machine throws, and the signal's reason.
   */
  readonly validate?: (changes: readonly AuthorFile[], signal: AbortSignal) => Promise<Trial>;
};

/** `addressed` is null when the agent does not say: then it is told by the touched files. */
export type FixWork = {
  readonly changes: readonly AuthorFile[];
  readonly addressed: readonly FindingId[] | null;
  readonly declines: readonly Decline[];
  readonly summary: string;
  /** On a model of ours, by this execution; nothing where somebody else's program worked. */
  readonly spent: Spent;
};

/** What an agent says about its work; its changes are read, and what it spent is counted, by us. */
export type FixAccount = Omit<FixWork, 'changes' | 'spent'>;

/** `interrupted`: nobody's fault that a value could tell. The job fails with `error`, and may be tried again. */
export type FixOutcome =
  | { readonly kind: 'done'; readonly work: FixWork }
  | { readonly kind: 'failed'; readonly code: string; readonly spent: Spent }
  | { readonly kind: 'interrupted'; readonly error: unknown; readonly spent: Spent };

/**
 * One way to fix findings.
 * Contract: gives its changes as data and writes nowhere but below `root`; obeys the signal; every end that a program
 * or a model can cause is a value. What it gives is not trusted: `decideChange` has the last word.
 */
export type FixAgent = {
  readonly name: string;
  readonly work: (task: FixTask, signal: AbortSignal) => Promise<FixOutcome>;
};
