import type { Trial } from '../../../shared/agent/tools/validate.ts';
import type { Decline, FixFinding } from '../../../shared/rounds/model/fix-brief.ts';
import type { ChangeRequest, CommitSha, FindingId, RunId } from '../../../shared/vocabulary/ids.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import type { AuthorFile } from './decide-change.ts';

export type FixTask = {
  readonly changeRequest: ChangeRequest;
  readonly runId: RunId;
  readonly head: CommitSha;
  readonly review: number;
  readonly findings: readonly FixFinding[];
  /** The tree of the head as plain files without git data; used by this fix only. */
  readonly root: string;
  /** Paths of the change request, the only existing files that a fix may change. */
  readonly paths: readonly string[];
  /** Why the file cannot be added together with the other paths of the fix; null when it can. Absent: no file may be added. */
  readonly whyNotNew?: (path: string, others: readonly string[], signal: AbortSignal) => Promise<string | null>;
  readonly limits: { readonly maxTurns: number; readonly maxRuntimeMs: number };
  /** Runs the operator's validation commands on these changes; absent without commands or a cage. Throws on a machine failure. */
  readonly validate?: (changes: readonly AuthorFile[], signal: AbortSignal) => Promise<Trial>;
};

/** `addressed` is null when the agent does not report it; the touched files then decide. */
export type FixWork = {
  readonly changes: readonly AuthorFile[];
  readonly addressed: readonly FindingId[] | null;
  readonly declines: readonly Decline[];
  readonly summary: string;
  /** Model spending of this execution; nothing for an external program. */
  readonly spent: Spent;
};

/** What an agent reports about its work, without changes and spending, which we determine ourselves. */
export type FixAccount = Omit<FixWork, 'changes' | 'spent'>;

/** `interrupted`: the job fails with `error` and may be retried. */
export type FixOutcome =
  | { readonly kind: 'done'; readonly work: FixWork }
  | { readonly kind: 'failed'; readonly code: string; readonly spent: Spent }
  | { readonly kind: 'interrupted'; readonly error: unknown; readonly spent: Spent };

/**
 * Contract: returns its changes as data and writes only below `root`; obeys the signal; every outcome that a program or
 * model can cause is a value. The result is untrusted: `decideChange` decides.
 */
export type FixAgent = {
  readonly name: string;
  readonly work: (task: FixTask, signal: AbortSignal) => Promise<FixOutcome>;
};
