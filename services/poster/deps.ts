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

/** `threads` and `resolving` are null when the forge lacks the ability. */
export type PosterForge = {
  /** Used to find the person to call. */
  readonly calls: CallForge;
  readonly read: ReadsChangeRequest & ReadsComments & ReadsStatuses & ListsChangeRequests;
  readonly write: WritingForge;
  readonly threads: AnswersThreads | null;
  readonly resolving: ResolvesThreads | null;
  /** Every account that the bot uses or used. */
  readonly botIds: ReadonlySet<number>;
  /** The posting account; it can edit only its own comments. */
  readonly selfId: number;
  readonly sanitizing: Omit<SanitizeOptions, 'mayMention'>;
  /** True when the forge can apply a suggestion to a range of lines (GitLab); otherwise it is shown as plain code. */
  readonly rangedSuggestions: boolean;
  readonly sigil: '!' | '#';
  /** Maximum length of a status's target URL, in characters. */
  readonly maxTargetUrl: number;
  /** True when every status of a commit is kept and listed. Otherwise an open status keeps its target URL. */
  readonly keepsStatuses: boolean;
  /** True when the forge shows and mails the body of a review. */
  readonly reviewBody: boolean;
};

export type PosterDeps = {
  readonly forges: ReadonlyMap<string, PosterForge>;
  /** The first secret is used to sign; a signature by any of them is accepted. */
  readonly markerSecrets: readonly [string, ...string[]];
  readonly calls: CallSettings;
  /** The people that each part of a plan calls, stored for the next try. */
  readonly called: CalledNames;
  readonly dryRun: boolean;
  readonly statusContext: string;
  readonly loadPlan: (planId: string) => Promise<PostPlan | null>;
  /** Posting keys that are known to be on the forge for this plan. */
  readonly seen: {
    load(planId: string): Promise<ReadonlySet<string>>;
    add(planId: string, keys: readonly string[]): Promise<void>;
  };
  readonly readings: Pick<Readings, 'hand' | 'drop' | 'takeLook'>;
  readonly deliver: (of: ChangeRequest, event: InboxEvent) => Promise<void>;
  /** Alerts the operator. Absent: no alert. */
  readonly raise?: Raise;
  readonly underLease: <T>(
    of: ChangeRequest,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ) => Promise<{ readonly result: T } | null>;
  /** Null when another process holds the lease of the place. Contract: `fence` renews the lease and throws when it was lost. */
  readonly underPlace: <T>(
    place: StatusPlace,
    signal: AbortSignal,
    work: (fence: () => Promise<void>, signal: AbortSignal) => Promise<T>,
  ) => Promise<{ readonly result: T } | null>;
  /** Places that several change requests share: a hint that saves requests and may be lost. */
  readonly shared: { mark(place: StatusPlace): Promise<void>; has(place: StatusPlace): Promise<boolean> };
  /** Whether change requests into this branch count for the status. */
  readonly countsTarget: (branch: string) => boolean;
  readonly metrics: Pick<Metrics, 'postedComments' | 'alarms'>;
  readonly nowMs: () => number;
  /** Contract: resolves after the time; rejects at once when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Steps at which a test may kill the process; does nothing otherwise. */
  readonly checkpoint: (step: string) => void;
};

export type Posting = {
  readonly deps: PosterDeps;
  readonly forge: PosterForge;
  readonly plan: PostPlan;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The target URL that the status has to carry. */
  readonly statusUrl?: string;
};
