import type { CiReport } from '../../shared/analyzers/ci/ci-report.ts';
import type { ArtifactAnalyzer } from '../../shared/config/analyzer-settings.ts';
import type { OtherBots } from '../../shared/forge/other-bots.ts';
import type {
  LocatesGit,
  ReadingForge,
  ReadsApprovals,
  ReadsBranches,
  ReadsChangeRequest,
  ReadsComments,
  ReadsPermission,
  ReadsProject,
} from '../../shared/forge/port.ts';
import type { ReadsClosedIssues } from '../../shared/forge/port-issues.ts';
import type { ReadsCiReports } from '../../shared/forge/port-ci-reports.ts';
import type { ReadsFiles } from '../../shared/forge/port-owners.ts';
import type { ReadsThumbs } from '../../shared/forge/port-reactions.ts';
import type { ReadsChecks, ReadsStatuses } from '../../shared/forge/port-statuses.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { Alone } from '../../shared/queue/deaths.ts';
import type { Enqueue } from '../../shared/queue/enqueue.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';
import type { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import type { RememberedSummary } from '../../shared/rounds/memory/own-markers.ts';
import type { ChangeRequest, RunId } from '../../shared/vocabulary/ids.ts';
import type { Spent } from '../../shared/vocabulary/spent.ts';
import type { IgnoredCounts } from '../../shared/store/learning/ignored-counts.ts';
import type { OpenHandoffs } from '../../shared/store/learning/open-handoffs.ts';
import type { DeathWatch } from '../../shared/queue/death-watch.ts';
import type { Decisions } from '../../shared/store/decisions.ts';
import type { DocumentStore } from '../../shared/store/documents.ts';
import type { GuardStates } from '../../shared/store/guard-states.ts';
import type { Heads } from '../../shared/store/heads.ts';
import type { Identities } from '../../shared/store/identities.ts';
import type { Inbox } from '../../shared/queue/inbox.ts';
import type { Keys } from '../../shared/store/keys.ts';
import type { UnderLease } from '../../shared/store/lease.ts';
import type { Readings } from '../../shared/store/readings.ts';
import type { SharedPlaces } from '../../shared/store/shared-places.ts';
import type { Slots } from '../../shared/store/slots.ts';
import type { KnownPaths } from '../../shared/store/known-paths.ts';
import type { SourceBranches } from '../../shared/store/source-branches.ts';
import type { RawText, RulesFound } from '../../shared/store/texts.ts';
import type { Pauses } from '../../shared/store/board/pauses.ts';
import type { GuardBoard } from './board/board.ts';
import type { CountingDeps } from './numbers/count-decision.ts';
import type { ReactionDeps } from './learning/count-reactions.ts';
import type { AuthorsOutside } from './tell-author.ts';

/** These operations are only called when the author is enabled. */
export type ReadsForFix = ReadsBranches & ReadsApprovals & Pick<ReadsProject, 'fetchProject'>;

export type GuardForge = {
  readonly read: Pick<
    ReadingForge,
    keyof (ReadsChangeRequest &
      ReadsComments &
      ReadsPermission &
      ReadsStatuses &
      ReadsChecks &
      LocatesGit &
      ReadsForFix)
  >;
  /** If absent, no file of a branch can be read. */
  readonly files?: ReadsFiles;
  /** If absent, no issue can be read. */
  readonly issues?: ReadsClosedIssues;
  /** If absent, reactions are not counted. */
  readonly thumbs?: ReadsThumbs;
  /** Absent or null if the forge serves no reports of CI. */
  readonly ciReports?: ReadsCiReports | null;
  /** The account that reads and earlier accounts of the bot. `identities` adds the account that writes. */
  readonly botIds: ReadonlySet<number>;
  readonly otherBots: OtherBots;
  /** The name that people write after `@`. If null, it is the name of the account that writes. */
  readonly mention: string | null;
};

/** A forge with the bot's current accounts and name. */
export type KnownForge = Omit<GuardForge, 'mention'> & { readonly mention: string };

/** What may differ per project. */
export type ProjectRules = {
  readonly policy: Policy;
  readonly runningPerProject: number;
  readonly reviewBudget: { readonly maxTurns: number; readonly maxRuntimeS: number };
  readonly fixBudget: { readonly maxTurns: number; readonly maxRuntimeS: number };
  /** The analyzers that use reports of CI. Absent if there are none. */
  readonly ciAnalyzers?: readonly ArtifactAnalyzer[] | undefined;
};

/** The rules of the installation are used until the forge has said which project it is. */
export type GuardDeps = ProjectRules & {
  /**
   * The rules of the project that has this path now. If absent, all projects have the same rules. @throws
   * ProjectPathMissingError if the path is undefined and would matter.
   */
  readonly rulesOf?: (forge: string, path: string | undefined) => ProjectRules;
  readonly identities: Identities;
  readonly forges: ReadonlyMap<string, GuardForge>;
  readonly markerSecrets: readonly string[];
  readonly inbox: Inbox;
  readonly states: GuardStates;
  readonly heads: Pick<Heads, 'add'>;
  readonly readings: Pick<Readings, 'take' | 'beginLook' | 'handLook'>;
  /** Gives the poster what guard has read; called before a plan is sent. Absent when guard has read nothing. */
  readonly handLook?: (plan: PostPlan) => Promise<void>;
  /** The summary of each change request, as guard last saw it. */
  readonly summaries: DocumentStore<RememberedSummary>;
  readonly decisions: Decisions;
  /** If absent, ignored events are not counted. */
  readonly ignoredCounts?: Pick<IgnoredCounts, 'add'>;
  /** If absent, reactions are not counted. */
  readonly reactions?: ReactionDeps;
  /** If absent, nothing is written for the operator's page. */
  readonly board?: GuardBoard;
  readonly slots: Slots;
  /** Commits whose status several change requests share. If absent, any commit may be shared. */
  readonly shared?: Pick<SharedPlaces, 'has'>;
  /** Projects that an operator has paused. */
  readonly pauses: Pauses;
  readonly briefs: DocumentStore<Brief>;
  readonly drafts: DocumentStore<ReviewDraft>;
  readonly raws: DocumentStore<RawText>;
  readonly rulesFound: DocumentStore<RulesFound>;
  readonly fixBriefs: DocumentStore<FixBrief>;
  readonly fixReports: DocumentStore<FixReport>;
  readonly plans: DocumentStore<PostPlan>;
  /** If absent, no report of CI is fetched. */
  readonly ciReports?: DocumentStore<CiReport>;
  readonly keys: Keys;
  readonly enqueue: Enqueue;
  /** Contract: afterwards the budgets count at least `spent`, which is recorded on the forge. Absent if no model is configured. */
  readonly seedBudget?: (of: ChangeRequest, runId: RunId, spent: Spent) => Promise<void>;
  /** Stores the readable path of the project for `fixpoint cost`, from the page of a change request. */
  readonly nameProject?: (of: ChangeRequest, webUrl: string) => Promise<void>;
  /** The paths by which other services know a project's settings and programs. Absent if nothing differs per project. */
  readonly paths?: Pick<KnownPaths, 'save'>;
  readonly authorsOutside: AuthorsOutside & {
    /** The source branches that external authors may name; the ingress reads them. */
    readonly branches: Pick<SourceBranches, 'save'>;
  };
  /** Contract: a waiting review continues at once; a running or finished review is not affected. */
  readonly resumeReview: (runId: RunId) => Promise<void>;
  readonly underLease: UnderLease;
  /** If absent, deaths are not counted. */
  readonly deathWatch?: DeathWatch & { readonly alone: Alone };
  readonly metrics: Pick<Metrics, 'decisions'> & CountingDeps['metrics'];
  /** If absent, hand-offs are not counted. */
  readonly handoffs?: Pick<OpenHandoffs, 'note'>;
  readonly nowMs: () => number;
  /** Time at which this process started, on the clock of `nowMs`. */
  readonly startedAtMs?: number;
  readonly newRunId: () => RunId;
  /** Named steps at which a test may kill the process. Does nothing in production. */
  readonly checkpoint: (step: string) => void;
};
