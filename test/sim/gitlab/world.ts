/** The whole state of one simulated GitLab. Everything but the git objects lives here, in memory. */
import type { Mail } from '../shared/mail-log.ts';
import type { Delivery, Effect, QuickAction, RequestEntry } from '../forgejo/world.ts';

export type Edition = 'ce' | 'ee';

export type SimUser = {
  readonly id: number;
  username: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Set for the users behind project and group access tokens: the only place that they can be members of. */
  readonly botOf: SimProject | SimGroup | null;
  /** Removed accounts keep their id; their words are shown as by the ghost user. */
  deleted: boolean;
};

export type Scope = 'api' | 'read_api' | 'read_user' | 'read_repository' | 'write_repository';

export type SimToken = {
  readonly value: string;
  readonly user: SimUser;
  readonly scopes: readonly Scope[];
  /** The day from which on it is taken no more; null for ever. Telling is all that is simulated of it. */
  expiresOn: string | null;
  revoked: boolean;
};

/** 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner. 0 stands for nothing at all. */
export type AccessLevel = 0 | 10 | 15 | 20 | 30 | 40 | 50;

export const hookFlags = [
  'push_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'emoji_events',
] as const;
export type HookFlag = (typeof hookFlags)[number];

/** GL app/models/hooks/system_hook.rb `AVAILABLE_HOOKS`, without tags, which nobody pushes here. */
export const systemHookFlags = ['push_events', 'merge_requests_events', 'repository_update_events'] as const;
export type SystemHookFlag = (typeof systemHookFlags)[number];

export type SimHook = {
  readonly id: number;
  readonly owner: SimProject | SimGroup | SimInstance;
  url: string;
  name: string | null;
  /** `X-Gitlab-Token`; empty: no such header. */
  token: string;
  /** `whsec_…`; empty: no signature headers. */
  signingToken: string;
  events: ReadonlySet<HookFlag | SystemHookFlag>;
  readonly createdAt: number;
  recentFailures: number;
  disabledUntil: number | null;
};

/** The installation itself, whose administrator sets up system hooks. */
export type SimInstance = { readonly kind: 'instance'; readonly hooks: SimHook[] };

export type SimGroup = {
  readonly kind: 'group';
  readonly id: number;
  path: string;
  readonly parent: SimGroup | null;
  readonly members: Map<number, AccessLevel>;
  readonly hooks: SimHook[];
};

export type SimLabel = { readonly id: number; readonly name: string; readonly color: string };

export type SimProject = {
  readonly kind: 'project';
  readonly id: number;
  path: string;
  readonly namespace: SimGroup | SimUser;
  readonly visibility: 'private' | 'public';
  readonly defaultBranch: string;
  readonly gitDir: string;
  /** Read-only, for everybody. */
  archived: boolean;
  mergeRequestsEnabled: boolean;
  readonly forkedFrom: SimProject | null;
  readonly createdAt: number;
  readonly members: Map<number, AccessLevel>;
  readonly mergeRequests: SimMergeRequest[];
  readonly hooks: SimHook[];
  readonly labels: SimLabel[];
  readonly pipelines: SimPipeline[];
  readonly statuses: SimStatus[];
  /** EE project setting `reset_approvals_on_push`, on by default there. */
  resetApprovalsOnPush: boolean;
  /** What Premium has: here that requests for changes block a merge and can be taken back. */
  premium: boolean;
  /** EE project setting `merge_requests_author_approval`, off by default. */
  authorMayApprove: boolean;
  /** Approvals that the rules of the project ask for. */
  approvalsRequired: number;
  readonly protectedBranches: ProtectedBranch[];
  /** What its `.gitlab-ci.yml` starts for a push; null: there is none. */
  ci: SimCi | null;
  /** Setting `only_allow_merge_if_pipeline_succeeds`, "Pipelines must succeed"; off by default. */
  pipelinesMustSucceed: boolean;
  /** Plan limit `ci_pipeline_size`; null: none. */
  maxJobsInPipeline: number | null;
  /** Setting `allow_merge_on_skipped_pipeline`; off by default. */
  skippedPipelinesPass: boolean;
};

/** GL app/models/protected_branch.rb: a name or a pattern with `*`. Level 0: no one. */
export type ProtectedBranch = { readonly pattern: string; readonly push: AccessLevel; readonly merge: AccessLevel };

export type NewJob = {
  readonly name: string;
  readonly state: string;
  readonly allowFailure?: boolean;
  readonly kind?: 'build' | 'bridge';
};

/**
 * GL app/services/git/base_hooks_service.rb and merge_requests/refresh/pipeline_service.rb: pipelines are made by workers,
 * some time after the push and in a race with its webhooks.
 */
export type SimCi = {
  readonly pipelines: 'branch' | 'detached' | 'merged_result';
  /** Until the worker makes the pipeline; `held`: until `createPipelines` is called. */
  readonly after: number | 'held';
  readonly jobs: readonly NewJob[];
  /** What is wrong with the file: the pipeline is made without jobs and fails. */
  readonly yamlErrors?: string;
  /** Those of merge requests from forks run in the target project, as when a member starts them there. */
  readonly forksInTarget?: boolean;
};

/** GL app/models/concerns/enums/ci/pipeline.rb, those that differ in what they do. */
export type PipelineSource =
  | 'push'
  | 'web'
  | 'schedule'
  | 'external'
  | 'merge_request_event'
  /** A child pipeline: dangling, so that it belongs to no ref. */
  | 'parent_pipeline';

export type SimPipeline = {
  readonly id: number;
  readonly iid: number;
  readonly sha: string;
  /** Only of merged results: the head of the merge request, which `sha` is the trial merge of. */
  readonly sourceSha: string | null;
  /** Only of merge request pipelines. */
  readonly mergeRequest: SimMergeRequest | null;
  readonly ref: string;
  readonly source: PipelineSource;
  readonly user: SimUser;
  readonly yamlErrors: string | null;
  /** As its jobs made it last: an event goes out when it changes. */
  state: string;
  readonly createdAt: number;
  updatedAt: number;
};

/** `generic`: set over the API. The others come from `.gitlab-ci.yml`. */
export type SimStatus = {
  readonly id: number;
  readonly kind: 'generic' | 'build' | 'bridge';
  readonly pipeline: SimPipeline;
  readonly name: string;
  state: string;
  readonly allowFailure: boolean;
  description: string | null;
  targetUrl: string | null;
  readonly user: SimUser;
  readonly createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
};

export type SimVersion = {
  readonly id: number;
  readonly baseSha: string;
  readonly startSha: string;
  readonly headSha: string;
  /** The histories have nothing in common: the base is told as null (GL lib/gitlab/diff/diff_refs.rb). */
  readonly unrelated: boolean;
  readonly createdAt: number;
};

export type LineEnd = {
  readonly line_code?: string | undefined;
  readonly type?: string | null | undefined;
  readonly old_line?: number | null | undefined;
  readonly new_line?: number | null | undefined;
};

/** Kept in the forge's own spelling: it is handed back as it came. */
export type SimPosition = {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
  readonly old_path: string | null;
  readonly new_path: string | null;
  readonly position_type: 'text' | 'file' | 'image';
  readonly old_line: number | null;
  readonly new_line: number | null;
  readonly line_range: { readonly start?: LineEnd | undefined; readonly end?: LineEnd | undefined } | null;
};

export type SimAward = {
  readonly id: number;
  readonly name: string;
  readonly user: SimUser;
  readonly createdAt: number;
};

export type SimNote = {
  readonly id: number;
  type: null | 'DiscussionNote' | 'DiffNote';
  readonly author: SimUser;
  body: string;
  readonly discussionId: string;
  readonly system: boolean;
  readonly internal: boolean;
  readonly createdAt: number;
  updatedAt: number;
  /** Where it hangs in the newest version, or its last place when it is outdated. */
  position: SimPosition | null;
  readonly originalPosition: SimPosition | null;
  lineCode: string | null;
  outdated: boolean;
  resolvedBy: SimUser | null;
  resolvedAt: number | null;
  readonly awards: SimAward[];
};

export type SimDraft = {
  readonly id: number;
  readonly author: SimUser;
  note: string;
  position: SimPosition | null;
  /** Null also when the position is no line of the diff. */
  lineCode: string | null;
  readonly discussionId: string | null;
  readonly resolveDiscussion: boolean;
  readonly createdAt: number;
};

export type ReviewerState =
  | 'unreviewed'
  | 'review_started'
  | 'reviewed'
  | 'requested_changes'
  | 'approved'
  | 'unapproved';

export type SimReviewer = {
  readonly user: SimUser;
  state: ReviewerState;
  readonly createdAt: number;
};

export type SimMergeRequest = {
  readonly id: number;
  readonly iid: number;
  readonly project: SimProject;
  /** Null when the fork is gone. */
  sourceProject: SimProject | null;
  readonly sourceProjectId: number;
  readonly author: SimUser;
  title: string;
  description: string;
  state: 'opened' | 'closed' | 'merged';
  sourceBranch: string;
  targetBranch: string;
  headSha: string;
  /** Oldest first; empty until the merge request is prepared. */
  readonly versions: SimVersion[];
  preparedAt: number | null;
  /** When it becomes prepared by itself. */
  readonly prepareAt: number;
  labels: SimLabel[];
  assignees: SimUser[];
  reviewers: SimReviewer[];
  readonly requestedChanges: Set<SimUser>;
  approvals: { readonly user: SimUser; readonly at: number }[];
  /** When approvals go because of a push, and whose push it was. */
  approvalReset: { readonly at: number; readonly pusher: SimUser } | null;
  notes: SimNote[];
  drafts: SimDraft[];
  readonly awards: SimAward[];
  locked: boolean;
  /** `merge_when_pipeline_succeeds`: who armed it; null: nobody. */
  autoMergeBy: SimUser | null;
  /** `head_pipeline_id`, with the project of the pipeline. */
  headPipeline: { readonly project: SimProject; readonly pipeline: SimPipeline } | null;
  mergedBy: SimUser | null;
  mergeCommit: string | null;
  readonly createdAt: number;
  updatedAt: number;
  mergedAt: number | null;
  closedAt: number | null;
  closedBy: SimUser | null;
};

export type Counter =
  | 'user'
  | 'group'
  | 'project'
  | 'mergeRequest'
  | 'note'
  | 'draft'
  | 'hook'
  | 'status'
  | 'pipeline'
  | 'label'
  | 'award'
  | 'version'
  | 'delivery'
  | 'token';

export type RateLimit = { readonly perMinute: number; readonly name: string };

export type AwaitedPipeline = {
  /** Whose CI starts it. */
  readonly project: SimProject;
  readonly ci: SimCi;
  readonly branch: string;
  readonly sha: string;
  readonly user: SimUser;
  /** Null: a branch pipeline. */
  readonly mergeRequest: SimMergeRequest | null;
};

export type World = {
  readonly version: string;
  readonly edition: Edition;
  /** Whether new projects have what Premium has; EE without it is most of the self-managed ones. */
  readonly premium: boolean;
  readonly clock: () => number;
  /** True when waits may use real timers: nobody injected a clock. */
  readonly realTime: boolean;
  /** Without a final slash. */
  publicUrl: string;
  readonly dataDir: string;
  readonly counters: Map<Counter, number>;
  readonly instance: SimInstance;
  readonly users: SimUser[];
  readonly tokens: Map<string, SimToken>;
  readonly groups: SimGroup[];
  readonly projects: SimProject[];
  readonly effects: Effect[];
  readonly mails: Mail[];
  readonly requests: RequestEntry[];
  readonly deliveries: Delivery[];
  readonly quickActions: QuickAction[];
  readonly violations: string[];
  /** Seeded: two runs of one test see the same "random" values. */
  readonly random: () => number;
  /** Called after every change of the logs. */
  readonly watchers: Set<() => void>;
  /** Lists hide what their reader wrote less than this long ago. */
  readLagMs: number;
  /** How long a new merge request has no `diff_refs`. */
  prepareDelayMs: number;
  /** How long after a push approvals are taken away: 10 seconds (ee/app/services/merge_requests/refresh/approval_service.rb). */
  approvalResetDelayMs: number;
  deliveryFilter: (delivery: Delivery) => 'send' | 'drop';
  hookJitterMs: number;
  /** The ops flag `auto_disabling_web_hooks`: off on self-managed installations (forges.md 2.3). */
  autoDisableHooks: boolean;
  /** Rack::Attack; null: no such limit and no headers. */
  rateLimit: RateLimit | null;
  /** The application limit `notes_create`, per user and minute. */
  notesPerMinute: number;
  /** Times of the requests that still count, by limit and user. */
  readonly spent: Map<string, number[]>;
  /** `diff_max_files`, `diff_max_patch_bytes` (GL doc/administration/diff_limits.md). */
  diffLimits: { readonly maxFiles: number; readonly maxPatchBytes: number };
  /** Who updates the statuses of a commit, by project and SHA; each promise is settled when that is over. */
  readonly statusLocks: Map<string, Promise<void>>;
  /** How long a status waits for another one of its commit: 10 seconds. */
  statusLockWaitMs: number;
  readonly openDeliveries: Set<Promise<void>>;
  /** Pipelines that a worker has yet to make. */
  readonly awaited: AwaitedPipeline[];
  /** Merge requests that are still being prepared in real time. */
  readonly timers: Set<NodeJS.Timeout>;
  /** Which hooks an event UUID has already called (recursion detection, forges.md 2.3). */
  readonly called: Map<string, Set<number>>;
};
