import type { ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import type { ProjectScope } from '../../../shared/config/projects/project-scope.ts';
import type { ListsChangeRequests, ListsProjects, ReadsHooks } from '../../../shared/forge/port-listing.ts';
import type { ReadsBranches, ReadsChangeRequest, ReadsProject } from '../../../shared/forge/port.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import type { DocumentStore } from '../../../shared/store/documents.ts';
import type { Keys } from '../../../shared/store/keys.ts';
import type { HookReports } from '../../../shared/store/sweep/sweep-hooks.ts';
import type { ProjectMemory } from '../../../shared/store/sweep/sweep-memory.ts';
import type { SweepProgressStore } from '../../../shared/store/sweep/sweep-progress.ts';
import type { KnownProjects } from '../../../shared/store/sweep/sweep-projects.ts';
import type { GuardStates } from '../../../shared/store/guard-states.ts';
import type { HookAlarm } from '../../../shared/queue/alarms.ts';
import type { Inbox } from '../../../shared/queue/inbox.ts';
import type { UnderLease } from '../../../shared/store/lease.ts';
import type { Pauses } from '../../../shared/store/board/pauses.ts';
import type { Slots } from '../../../shared/store/slots.ts';

export type SweepForge = {
  readonly id: string;
  readonly kind: ForgeKind;
  readonly read: ListsChangeRequests &
    ListsProjects &
    ReadsHooks &
    ReadsBranches &
    ReadsChangeRequest &
    Pick<ReadsProject, 'findProject'>;
  readonly scope: ProjectScope;
};

export type SweepDeps = {
  readonly inbox: Inbox;
  readonly states: GuardStates;
  readonly slots: Slots;
  readonly pauses: Pauses;
  /** How many reviews of the project may run at the same time. */
  readonly runningIn: (forge: string, path: string) => number;
  readonly underLease: UnderLease;
  readonly nowMs: () => number;
  readonly startedAtMs?: number;
  readonly forges: readonly SweepForge[];
  /** The average request rate for each forge. */
  readonly requestsPerSecond: number;
  readonly keys: Keys;
  readonly progress: SweepProgressStore;
  readonly memories: DocumentStore<ProjectMemory>;
  readonly known: KnownProjects;
  readonly hooks: HookReports;
  /** Alerts the operator. If absent, there is no alert. */
  readonly hookAlarm?: HookAlarm;
  readonly metrics: Pick<Metrics, 'hooksDisabled' | 'sweepFound'>;
  readonly wake: (next: ChangeRequest) => Promise<void>;
  /** Runs `work` while no other process sweeps the forge. Returns null if another process is sweeping it. */
  readonly underSweepLease: <T>(
    forge: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ) => Promise<{ readonly result: T } | null>;
};
