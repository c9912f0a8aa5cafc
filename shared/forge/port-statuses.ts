/** Statuses of commits and what CI says: a part of `port.ts`, under the same contract. */
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';

export type StatusState = 'pending' | 'success' | 'failure' | 'error';

export type OutgoingStatus = {
  readonly head: CommitSha;
  readonly sourceBranch: string;
  readonly state: StatusState;
  readonly context: string;
  /** At most 140 characters survive on every forge. */
  readonly description: string;
  readonly targetUrl: string | null;
};

export type CommitStatus = {
  readonly context: string;
  readonly state: StatusState | 'warning' | 'skipped';
  readonly description: string;
  readonly createdAtMs: number;
  /** At the same commit, but where the gate of this change request does not look. Absent: no. */
  readonly elsewhere?: true;
};

export type ChecksOf = {
  readonly changeRequest: ChangeRequest;
  readonly head: CommitSha;
  readonly targetBranch: string;
  /** Every account that is or was the bot: its own status is no CI. */
  readonly botIds: ReadonlySet<number>;
};

export type Checks = {
  /** One name may come twice: the forge can tell two of them apart by more than the name. Runs that have not ended count. */
  readonly statuses: readonly CommitStatus[];
  /** Names, or patterns with `*`, without which the forge does not merge into the target branch. */
  readonly required: readonly string[];
};

export interface ReadsStatuses {
  /** The newest per context where the gate looks, then the newest per context elsewhere. */
  fetchStatuses(of: ChangeRequest, head: CommitSha, signal: AbortSignal): Promise<readonly CommitStatus[]>;
}

export interface ReadsChecks {
  /** Everything that CI says about the change, wherever the forge attaches it. Empty: nothing is recorded (yet). */
  fetchChecks(of: ChecksOf, signal: AbortSignal): Promise<Checks>;
}

/**
 * Why a status stays unset, which costs nothing but the status. `fork`: its gate is a pipeline in the fork. `protected`:
 * the account may not touch pipelines of this branch. `name_taken`: a job of the project has the name. `full`: the
 * pipeline takes no more jobs. `gone`: there is no such commit or pipeline (any more).
 */
export type StatusRefusal = 'fork' | 'protected' | 'name_taken' | 'full' | 'gone';

export interface WritesStatuses {
  /** Where the gate of the change request looks. Null: it is written. */
  writeStatus(of: ChangeRequest, status: OutgoingStatus, signal: AbortSignal): Promise<StatusRefusal | null>;
}
