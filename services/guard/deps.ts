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
import type { ReadsChecks, ReadsStatuses } from '../../shared/forge/port-statuses.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { Enqueue } from '../../shared/queue/enqueue.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { Policy } from '../../shared/rounds/model/policy.ts';
import type { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import type { PostPlan } from '../../shared/rounds/model/post-plan.ts';
import type { RememberedSummary } from '../../shared/rounds/memory/own-markers.ts';
import type { ChangeRequest, RunId } from '../../shared/vocabulary/ids.ts';
import type { Spent } from '../../shared/vocabulary/spent.ts';
import type { Decisions } from '../../shared/store/decisions.ts';
import type { DocumentStore } from '../../shared/store/documents.ts';
import type { GuardStates } from '../../shared/store/guard-states.ts';
import type { Heads } from '../../shared/store/heads.ts';
import type { Identities } from '../../shared/store/identities.ts';
import type { Inbox } from '../../shared/queue/inbox.ts';
import type { Keys } from '../../shared/store/keys.ts';
import type { UnderLease } from '../../shared/store/lease.ts';
import type { Readings } from '../../shared/store/readings.ts';
import type { Slots } from '../../shared/store/slots.ts';
import type { SourceBranches } from '../../shared/store/source-branches.ts';
import type { RawText, RulesFound } from '../../shared/store/texts.ts';
import type { AuthorsOutside } from './tell-author.ts';

/** Asked only where the author is switched on. */
export type ReadsForFix = ReadsBranches & ReadsApprovals & Pick<ReadsProject, 'fetchProject'>;

/** One forge as guard sees it: what it may read, and who on it is the bot. */
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
  /** The reading account and the predecessors of the writing one, which `identity` tells. */
  readonly botIds: ReadonlySet<number>;
  readonly otherBots: OtherBots;
  /** What people write after `@`; null: the writing account's name. */
  readonly mention: string | null;
};

/** A forge together with who the bot is on it right now. */
export type KnownForge = Omit<GuardForge, 'mention'> & { readonly mention: string };

export type GuardDeps = {
  readonly identities: Identities;
  readonly forges: ReadonlyMap<string, GuardForge>;
  readonly policy: Policy;
  readonly runningPerProject: number;
  readonly reviewBudget: { readonly maxTurns: number; readonly maxRuntimeS: number };
  readonly fixBudget: { readonly maxTurns: number; readonly maxRuntimeS: number };
  readonly markerSecrets: readonly string[];
  readonly inbox: Inbox;
  readonly states: GuardStates;
  readonly heads: Pick<Heads, 'add'>;
  readonly readings: Pick<Readings, 'take' | 'beginLook' | 'handLook'>;
  /** Called before a plan is sent, so that the poster need not read the same again. Absent: nothing was read. */
  readonly handLook?: (plan: PostPlan) => Promise<void>;
  /** Of each change request, as it stood on the forge when guard looked last. */
  readonly summaries: DocumentStore<RememberedSummary>;
  readonly decisions: Decisions;
  readonly slots: Slots;
  readonly briefs: DocumentStore<Brief>;
  readonly drafts: DocumentStore<ReviewDraft>;
  readonly raws: DocumentStore<RawText>;
  readonly rulesFound: DocumentStore<RulesFound>;
  readonly fixBriefs: DocumentStore<FixBrief>;
  readonly fixReports: DocumentStore<FixReport>;
  readonly plans: DocumentStore<PostPlan>;
  readonly keys: Keys;
  readonly enqueue: Enqueue;
  /** Contract: afterwards the budgets know of at least this, which the forge remembers. Absent: no model is called. */
  readonly seedBudget?: (of: ChangeRequest, runId: RunId, spent: Spent) => Promise<void>;
  readonly authorsOutside: AuthorsOutside & {
    /** The branches that they may ask about; the ingress reads them. */
    readonly branches: Pick<SourceBranches, 'save'>;
  };
  /** Contract: a review that sleeps goes on at once; any other is left alone. */
  readonly resumeReview: (runId: RunId) => Promise<void>;
  readonly underLease: UnderLease;
  readonly metrics: Pick<Metrics, 'decisions'>;
  readonly nowMs: () => number;
  /** When this process began, by the same clock. */
  readonly startedAtMs?: number;
  readonly newRunId: () => RunId;
  /** Named steps at which a test may kill the process; does nothing otherwise. */
  readonly checkpoint: (step: string) => void;
};
