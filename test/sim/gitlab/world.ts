/** The whole state of one simulated GitLab, in memory, except git objects. */
import type { Mail } from '../shared/mail-log.ts';
import type { Delivery, Effect, QuickAction, RequestEntry } from '../forgejo/world.ts';

export type Edition = 'ce' | 'ee';

export type SimUser = {
  readonly id: number;
  username: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Set for bot users of project and group access tokens, which cannot be members anywhere else. */
  readonly botOf: SimProject | SimGroup | null;
  /** Removed accounts keep their id; what they wrote is shown as the ghost user's. */
  deleted: boolean;
};

export type Scope = 'api' | 'read_api' | 'read_user' | 'read_repository' | 'write_repository';

export type SimToken = {
  readonly value: string;
  readonly user: SimUser;
  readonly scopes: readonly Scope[];
  /** The day from which the token is rejected; null for never. Only reported, not enforced. */
  expiresOn: string | null;
  revoked: boolean;
};

/** 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner; 0 without any access. */
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

/** GL app/models/hooks/system_hook.rb `AVAILABLE_HOOKS`, without tags, which are never pushed here. */
export const systemHookFlags = ['push_events', 'merge_requests_events', 'repository_update_events'] as const;
export type SystemHookFlag = (typeof systemHookFlags)[number];

export type SimHook = {
  readonly id: number;
  readonly owner: SimProject | SimGroup | SimInstance;
  url: string;
  name: string | null;
  /** `X-Gitlab-Token`; empty for no such header. */
  token: string;
  /** `whsec_…`; empty for no signature headers. */
  signingToken: string;
  events: ReadonlySet<HookFlag | SystemHookFlag>;
  readonly createdAt: number;
  recentFailures: number;
  disabledUntil: number | null;
};

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

export type SimIssue = {
  readonly id: number;
  readonly iid: number;
  readonly author: SimUser;
  readonly title: string;
  readonly description: string;
  readonly confidential: boolean;
  readonly createdAt: number;
};

export type SimProject = {
  readonly kind: 'project';
  readonly id: number;
  path: string;
  readonly namespace: SimGroup | SimUser;
  readonly visibility: 'private' | 'public';
  readonly defaultBranch: string;
  readonly gitDir: string;
  archived: boolean;
  mergeRequestsEnabled: boolean;
  readonly forkedFrom: SimProject | null;
  readonly createdAt: number;
  readonly members: Map<number, AccessLevel>;
  readonly mergeRequests: SimMergeRequest[];
  readonly issues: SimIssue[];
  readonly hooks: SimHook[];
  readonly labels: SimLabel[];
  readonly pipelines: SimPipeline[];
  readonly statuses: SimStatus[];
  /** EE project setting `reset_approvals_on_push`, on by default in EE. */
  resetApprovalsOnPush: boolean;
  /** Premium features; here: requests for changes block a merge and can be withdrawn. */
  premium: boolean;
  /** EE project setting `merge_requests_author_approval`, off by default. */
  authorMayApprove: boolean;
  approvalsRequired: number;
  readonly protectedBranches: ProtectedBranch[];
  /** What `.gitlab-ci.yml` starts after a push; null when there is no such file. */
  ci: SimCi | null;
  /** Setting `only_allow_merge_if_pipeline_succeeds`, "Pipelines must succeed"; off by default. */
  pipelinesMustSucceed: boolean;
  /** Plan limit `ci_pipeline_size`; null for none. */
  maxJobsInPipeline: number | null;
  /** Setting `allow_merge_on_skipped_pipeline`; off by default. */
  skippedPipelinesPass: boolean;
};

/** GL app/models/protected_branch.rb: a name, or a pattern with `*`. Level 0: nobody. */
export type ProtectedBranch = { readonly pattern: string; readonly push: AccessLevel; readonly merge: AccessLevel };

export type NewJob = {
  readonly name: string;
  readonly state: string;
  readonly allowFailure?: boolean;
  readonly kind?: 'build' | 'bridge';
  /** Files that it uploads, by their path in the archive. Default: none. */
  readonly artifacts?: Readonly<Record<string, string>>;
  readonly artifactsExpired?: boolean;
};

/**
 * GL app/services/git/base_hooks_service.rb and merge_requests/refresh/pipeline_service.rb: workers create pipelines some
 * time after the push, in a race with its webhooks.
 */
export type SimCi = {
  readonly pipelines: 'branch' | 'detached' | 'merged_result';
  /** Delay until the worker creates the pipeline, in ms; `held`: until `createPipelines` is called. */
  readonly after: number | 'held';
  readonly jobs: readonly NewJob[];
  /** The error in the file: the pipeline is created without jobs and fails. */
  readonly yamlErrors?: string;
  /** Pipelines of merge requests from forks run in the target project, as when a member starts them there. */
  readonly forksInTarget?: boolean;
};

/** GL app/models/concerns/enums/ci/pipeline.rb; only sources that behave differently. */
export type PipelineSource =
  | 'push'
  | 'web'
  | 'schedule'
  | 'external'
  | 'merge_request_event'
  /** A child pipeline, which belongs to no ref (dangling). */
  | 'parent_pipeline';

export type SimPipeline = {
  readonly id: number;
  readonly iid: number;
  readonly sha: string;
  /** Set only for merged results: the merge request's head, of which `sha` is the trial merge. */
  readonly sourceSha: string | null;
  /** Set only for merge request pipelines. */
  readonly mergeRequest: SimMergeRequest | null;
  readonly ref: string;
  readonly source: PipelineSource;
  readonly user: SimUser;
  readonly yamlErrors: string | null;
  /** The state after the last change of a job: an event is sent when it changes. */
  state: string;
  readonly createdAt: number;
  updatedAt: number;
};

/** `generic`: set through the API. The others come from `.gitlab-ci.yml`. */
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
  /** `artifacts:paths`: the files of its archive by path; null when it has none. */
  artifacts: ReadonlyMap<string, string> | null;
  artifactsExpired: boolean;
};

export type SimVersion = {
  readonly id: number;
  readonly baseSha: string;
  readonly startSha: string;
  readonly headSha: string;
  /** True when the histories have no common commit: the base is then reported as null (GL lib/gitlab/diff/diff_refs.rb). */
  readonly unrelated: boolean;
  readonly createdAt: number;
};

export type LineEnd = {
  readonly line_code?: string | undefined;
  readonly type?: string | null | undefined;
  readonly old_line?: number | null | undefined;
  readonly new_line?: number | null | undefined;
};

/** Uses the forge's field names, because it is returned unchanged. */
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
  /** Position in the newest version; the last known position of an outdated note. */
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
  /** Also null when the position is not a line of the diff. */
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
  /** Null when the fork was deleted. */
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
  /** Time of the automatic preparation. */
  readonly prepareAt: number;
  labels: SimLabel[];
  assignees: SimUser[];
  reviewers: SimReviewer[];
  readonly requestedChanges: Set<SimUser>;
  approvals: { readonly user: SimUser; readonly at: number }[];
  /** When approvals are removed because of a push, and who pushed. */
  approvalReset: { readonly at: number; readonly pusher: SimUser } | null;
  notes: SimNote[];
  drafts: SimDraft[];
  readonly awards: SimAward[];
  locked: boolean;
  /** `merge_when_pipeline_succeeds`: the user who set it; null when not set. */
  autoMergeBy: SimUser | null;
  /** `head_pipeline_id`, with the pipeline's project. */
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
  | 'issue'
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
  readonly project: SimProject;
  readonly ci: SimCi;
  readonly branch: string;
  readonly sha: string;
  readonly user: SimUser;
  readonly mergeRequest: SimMergeRequest | null;
};

export type World = {
  readonly version: string;
  readonly edition: Edition;
  /** Whether new projects have Premium features. Most self-managed EE installations do not. */
  readonly premium: boolean;
  readonly clock: () => number;
  /** True when waits may use real timers, because no clock was injected. */
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
  /** Seeded, so that two runs of a test get the same "random" values. */
  readonly random: () => number;
  readonly watchers: Set<() => void>;
  /** Lists hide what their reader wrote less than this long ago. */
  readLagMs: number;
  /** How long a new merge request has no `diff_refs`. */
  prepareDelayMs: number;
  /** Delay from a push to the removal of approvals: 10 seconds (ee/app/services/merge_requests/refresh/approval_service.rb). */
  approvalResetDelayMs: number;
  deliveryFilter: (delivery: Delivery) => 'send' | 'drop';
  hookJitterMs: number;
  /** "Allow requests to the local network from webhooks and integrations"; off on a new installation. */
  localHooksAllowed: boolean;
  /** The ops flag `auto_disabling_web_hooks`: off on self-managed installations (forges.md 2.3). */
  autoDisableHooks: boolean;
  /** Rack::Attack; null for no limit and no headers. */
  rateLimit: RateLimit | null;
  /** The application limit `notes_create`, per user and minute. */
  notesPerMinute: number;
  /** Times of the requests in the current windows, by limit and user. */
  readonly spent: Map<string, number[]>;
  /** `diff_max_files`, `diff_max_patch_bytes` (GL doc/administration/diff_limits.md). */
  diffLimits: { readonly maxFiles: number; readonly maxPatchBytes: number };
  /** Status updates in progress, by project and SHA; each promise settles when the update is done. */
  readonly statusLocks: Map<string, Promise<void>>;
  /** How long a status waits for another update of its commit; in GitLab 10 seconds. */
  statusLockWaitMs: number;
  readonly openDeliveries: Set<Promise<void>>;
  readonly awaited: AwaitedPipeline[];
  readonly timers: Set<NodeJS.Timeout>;
  /** Hooks already called for an event UUID (recursion detection, forges.md 2.3). */
  readonly called: Map<string, Set<number>>;
};
