import type { ListsChangeRequests } from '../../shared/forge/port-listing.ts';
import type {
  AnswersThreads,
  ReadsChangeRequest,
  ReadsComments,
  ResolvesThreads,
  WritingForge,
} from '../../shared/forge/port.ts';
import type { ReadsStatuses } from '../../shared/forge/port-statuses.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { Raise } from '../../shared/queue/raise.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import type { StatusPlace } from '../../shared/vocabulary/status-place.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import type { Readings } from '../../shared/store/readings.ts';
import type { SanitizeOptions } from '../../shared/text/sanitize.ts';
import type { CalledNames } from '../../shared/store/called-names.ts';
import type { CallForge, CallSettings } from './calls/call-forge.ts';
import type { Logger } from 'pino';

/** `threads` and `resolving` are null if the forge does not support them. */
export type PosterForge = {
  /** What is needed to find the people to mention. */
  readonly calls: CallForge;
  readonly read: ReadsChangeRequest & ReadsComments & ReadsStatuses & ListsChangeRequests;
  readonly write: WritingForge;
  readonly threads: AnswersThreads | null;
  readonly resolving: ResolvesThreads | null;
  /** Every account that the bot uses or has used. */
  readonly botIds: ReadonlySet<number>;
  /** The account that posts; it can edit only its own comments. */
  readonly selfId: number;
  readonly sanitizing: Omit<SanitizeOptions, 'mayMention'>;
  /** True if the forge can apply a suggestion to a range of lines (GitLab). Otherwise such a suggestion is shown as plain code. */
  readonly rangedSuggestions: boolean;
  readonly sigil: '!' | '#';
  /** Maximum length of a commit status's target URL, in characters. */
  readonly maxTargetUrl: number;
  /**
   * True when every status of a commit is kept and listed. If false, the target URL of an open status cannot be
   * changed.
   */
  readonly keepsStatuses: boolean;
  /** True when the forge shows the body of a review and sends it by email. */
  readonly reviewBody: boolean;
};

/** What is needed to write all comments of a plan. */
export type CommentTarget = Pick<PosterForge, 'threads' | 'resolving' | 'reviewBody'> & {
  readonly write: Pick<PosterForge['write'], 'createComment' | 'editComment' | 'submitReview'>;
};

/** What may differ per project. */
export type PostingRules = {
  readonly calls: CallSettings;
  readonly dryRun: boolean;
  /** Whether change requests into the branch count for the status. */
  readonly countsTarget: (branch: string) => boolean;
};

export type PosterDeps = PostingRules & {
  /** The rules of the project of a plan. If absent, all projects have the same rules. */
  readonly rulesOf?: (plan: Pick<PostPlan, 'changeRequest' | 'projectPath'>) => PostingRules;
  readonly forges: ReadonlyMap<string, PosterForge>;
  /** The first secret signs; signatures made with any of them are accepted. */
  readonly markerSecrets: readonly [string, ...string[]];
  /** Stores the people that each part of a plan mentions, for the next attempt. */
  readonly called: CalledNames;
  readonly statusContext: string;
  readonly loadPlan: (planId: string) => Promise<PostPlan | null>;
  /** Posting keys of this plan that are known to be on the forge. */
  readonly seen: {
    load(planId: string): Promise<ReadonlySet<string>>;
    add(planId: string, keys: readonly string[]): Promise<void>;
  };
  readonly readings: Pick<Readings, 'hand' | 'drop' | 'takeLook'>;
  readonly deliver: (of: ChangeRequest, event: InboxEvent) => Promise<void>;
  /** Alerts the operator. If absent, there is no alert. */
  readonly raise?: Raise;
  readonly underLease: <T>(
    of: ChangeRequest,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ) => Promise<{ readonly result: T } | null>;
  /** Returns null if another process holds the lease of the place. Contract: `fence` renews the lease and throws if the lease was lost. */
  readonly underPlace: <T>(
    place: StatusPlace,
    signal: AbortSignal,
    work: (fence: () => Promise<void>, signal: AbortSignal) => Promise<T>,
  ) => Promise<{ readonly result: T } | null>;
  /** Remembers places that several change requests share. The data only saves requests, so losing it does no harm. */
  readonly shared: { mark(place: StatusPlace): Promise<void>; has(place: StatusPlace): Promise<boolean> };
  readonly metrics: Pick<Metrics, 'postedComments' | 'alarms'>;
  readonly nowMs: () => number;
  /** Contract: resolves after `ms`; rejects at once if the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Marks a step at which a test may kill the process; does nothing in production. */
  readonly checkpoint: (step: string) => void;
};

export type Posting = {
  readonly deps: PosterDeps;
  readonly forge: PosterForge;
  readonly plan: PostPlan;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The target URL that the status must have. */
  readonly statusUrl?: string;
};
