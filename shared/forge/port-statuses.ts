/** Statuses of commits and what CI says: a part of `port.ts`, under the same contract. */
import type { ChangeRequest, CommitSha } from '../rounds/vocabulary.ts';

export type StatusState = 'pending' | 'success' | 'failure' | 'error';

export type OutgoingStatus = {
  readonly head: CommitSha;
  readonly sourceBranch: string;
  readonly state: StatusState;
  readonly context: string;
  /** At most 140 characters survive on every forge. */
  readonly description: string;
  readonly targetUrl: string | null;
  /** As the caller has just read it; asked again by a forge that must know, when it is left out. */
  readonly fromFork?: boolean;
};

export type CommitStatus = {
  readonly context: string;
  readonly state: StatusState | 'warning' | 'skipped';
  readonly description: string;
  readonly createdAtMs: number;
};

export type ChecksOf = { readonly projectId: number; readonly head: CommitSha; readonly targetBranch: string };

export type Checks = {
  /** One name may come twice: the forge can tell two of them apart by more than the name. Runs that have not ended count. */
  readonly statuses: readonly CommitStatus[];
  /** Names, or patterns with `*`, without which the forge does not merge into the target branch. */
  readonly required: readonly string[];
};

export interface ReadsStatuses {
  /** The newest per context. */
  fetchStatuses(projectId: number, head: CommitSha, signal: AbortSignal): Promise<readonly CommitStatus[]>;
}

export interface ReadsChecks {
  /** Everything that CI says about the change, wherever the forge attaches it. */
  fetchChecks(of: ChecksOf, signal: AbortSignal): Promise<Checks>;
}

export interface WritesStatuses {
  writeStatus(of: ChangeRequest, status: OutgoingStatus, signal: AbortSignal): Promise<void>;
}
