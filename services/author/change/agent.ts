import type { Trial } from '../../../shared/agent/tools/validate.ts';
import type { Decline, FixFinding } from '../../../shared/rounds/model/fix-brief.ts';
import type { ChangeRequest, CommitSha, FindingId, RunId } from '../../../shared/vocabulary/ids.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';
import type { AbsentFiles } from '../../../shared/workspace/tree/absent-files.ts';
import type { AuthorFile } from './decide-change.ts';

export type FixTask = {
  readonly changeRequest: ChangeRequest;
  readonly runId: RunId;
  readonly head: CommitSha;
  readonly review: number;
  readonly findings: readonly FixFinding[];
  /** The tree of the head as plain files without git data; used by this fix only. */
  readonly root: string;
  /** The files of the head that `root` lacks. If absent, none are missing. */
  readonly absent?: AbsentFiles;
  /** Paths of the change request. They are the only existing files that a fix may change. */
  readonly paths: readonly string[];
  /** Why a file cannot be added together with `others`, the fix's other paths; null if it can. If absent, no file may be added. */
  readonly whyNotNew?: (path: string, others: readonly string[], signal: AbortSignal) => Promise<string | null>;
  readonly limits: { readonly maxTurns: number; readonly maxRuntimeMs: number };
  /** Runs the operator's validation commands on these changes. Absent if there are no commands or no cage. Throws on a machine failure. */
  readonly validate?: (changes: readonly AuthorFile[], signal: AbortSignal) => Promise<Trial>;
};

/** `addressed` is null if the agent does not report it; then all findings in touched files count as addressed. */
export type FixWork = {
  readonly changes: readonly AuthorFile[];
  readonly addressed: readonly FindingId[] | null;
  readonly declines: readonly Decline[];
  readonly summary: string;
  /** The cost of models in this execution; zero for an external program. */
  readonly spent: Spent;
};

/** What an agent reports about its work. Without the changes and the cost, which Fixpoint determines itself. */
export type FixAccount = Omit<FixWork, 'changes' | 'spent'>;

/** `interrupted`: the job fails with `error` and may be retried. */
export type FixOutcome =
  | { readonly kind: 'done'; readonly work: FixWork }
  | { readonly kind: 'failed'; readonly code: string; readonly spent: Spent }
  | { readonly kind: 'interrupted'; readonly error: unknown; readonly spent: Spent };

/**
 * Contract: returns its changes as data and writes only below `root`; obeys the signal; returns every outcome that a
 * program or model can cause as a value. The result is untrusted: `decideChange` checks it.
 */
export type FixAgent = {
  readonly name: string;
  readonly work: (task: FixTask, signal: AbortSignal) => Promise<FixOutcome>;
};
