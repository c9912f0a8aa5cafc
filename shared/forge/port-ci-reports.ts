/** Reports that CI jobs have uploaded: a part of `port.ts`, under the same contract. */
import type { ChangeRequest, CommitSha } from '../vocabulary/ids.ts';

/**
 * `open`: will end by itself. `held`: waits for a person. `passed` and `failed`: has run. `not_run`: was skipped or
 * cancelled.
 */
export type ReportJobState = 'open' | 'held' | 'passed' | 'failed' | 'not_run';

export type ReportJob = {
  readonly name: string;
  readonly state: ReportJobState;
  readonly id: number;
  /** The project in which the job runs; for a change request from a fork it may be the fork. */
  readonly projectId: number;
  readonly createdAtMs: number;
  /** The tip of the target branch that was merged into the head before the job ran. Null: it ran on the head itself. */
  readonly mergedWith: CommitSha | null;
};

export type CiJobsQuery = {
  readonly changeRequest: ChangeRequest;
  readonly head: CommitSha;
  readonly names: readonly string[];
};

export type CiJobs = {
  /** At most one job per name, in no particular order: the newest of the newest pipeline that has one. */
  readonly jobs: readonly ReportJob[];
  /** True if there is a pipeline for this head whose jobs the token's account may not see. */
  readonly hidden: boolean;
};

export type ArtifactQuery = {
  readonly job: Pick<ReportJob, 'id' | 'projectId'>;
  /** Path in the archive of the job. */
  readonly path: string;
  readonly maxBytes: number;
};

export type Artifact =
  | { readonly kind: 'text'; readonly text: string }
  /** Never uploaded, or expired. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'too_large' };

export interface ReadsCiReports {
  /** Looks only at pipelines for exactly this head: of the head itself, or of its merge with the target branch. */
  fetchCiJobs(query: CiJobsQuery, signal: AbortSignal): Promise<CiJobs>;
  fetchArtifact(query: ArtifactQuery, signal: AbortSignal): Promise<Artifact>;
}
