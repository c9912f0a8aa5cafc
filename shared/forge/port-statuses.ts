/** Commit statuses and CI results: a part of `port.ts`, under the same contract. */
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';

export type StatusState = 'pending' | 'success' | 'failure' | 'error';

export type OutgoingStatus = {
  readonly head: CommitSha;
  readonly sourceBranch: string;
  readonly state: StatusState;
  readonly context: string;
  /** Forges keep at most 140 characters. */
  readonly description: string;
  /** When set, the write is refused unless the forge stores this URL. Null leaves the URL to the forge. */
  readonly targetUrl: string | null;
};

export type StatusLink = {
  readonly url: string;
  /** Null when the forge does not say who wrote the status. */
  readonly creatorId: number | null;
  /** Id of the status, which grows with every new status of the forge. */
  readonly id: number;
  /**
   * True when this status or a later status at the same place is an error: the announced run has ended without a
   * verdict.
   */
  readonly isOver: boolean;
};

export type CommitStatus = {
  readonly context: string;
  readonly state: StatusState | 'warning' | 'skipped';
  readonly description: string;
  readonly createdAtMs: number;
  /** Target URLs of this status and of earlier statuses with this context that the forge still has, oldest first. */
  readonly links?: readonly StatusLink[];
  /** True when the status is at the same commit, but the gate of this change request does not read it. */
  readonly elsewhere?: true;
};

export type ChecksOf = {
  readonly changeRequest: ChangeRequest;
  readonly head: CommitSha;
  readonly targetBranch: string;
  /** Every account that the bot uses or used. The bot's own status does not count as CI. */
  readonly botIds: ReadonlySet<number>;
};

export type Checks = {
  /** A name may occur twice, because a forge may identify a status by more than its name. Unfinished runs are included. */
  readonly statuses: readonly CommitStatus[];
  /** Names, or patterns with `*`, of statuses that the forge requires for a merge into the target branch. */
  readonly required: readonly string[];
};

export interface ReadsStatuses {
  /** The newest status per context that the gate reads, followed by the newest per context that it does not read. */
  fetchStatuses(of: ChangeRequest, head: CommitSha, signal: AbortSignal): Promise<readonly CommitStatus[]>;
}

export interface ReadsChecks {
  /** All CI results for the change, wherever the forge attaches them. Empty when no CI status is recorded (yet). */
  fetchChecks(of: ChecksOf, signal: AbortSignal): Promise<Checks>;
}

/**
 * Why a status was not set; the review continues without it. `fork`: the gate reads a pipeline of the fork.
 * `protected`: the account may not use pipelines of this branch. `name_taken`: a job of the project has the same name.
 * `full`: the pipeline accepts no more jobs. `gone`: the commit or pipeline does not exist (any more). `kept`: the forge does
 * not replace the target URL of an existing status.
 */
export type StatusRefusal = 'fork' | 'protected' | 'name_taken' | 'full' | 'gone' | 'kept';

/** A status that could not be set. */
export type UnsetStatus = {
  readonly projectId: number;
  readonly number: number;
  readonly head: string;
  readonly why: StatusRefusal;
};

export interface WritesStatuses {
  /** Writes the status to the place that the gate of the change request reads. Null means that the status was written. */
  writeStatus(of: ChangeRequest, status: OutgoingStatus, signal: AbortSignal): Promise<StatusRefusal | null>;
}
