import type { OtherBots } from '../../shared/forge/other-bots.ts';
import type { ReadingForge, ReadsBranches, ReadsChangeRequest, ReadsPermission } from '../../shared/forge/port.ts';
import type { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { ChangeRequest, RunId } from '../../shared/vocabulary/ids.ts';
import type { Validation } from '../../shared/validation/connect.ts';
import type { MirrorAccess } from '../../shared/workspace/mirror/open-head.ts';
import type { FixAgent } from './change/agent.ts';
import type { ChangeRules } from './change/decide-change.ts';
import type { StoredWork } from './kept-work.ts';

export type AuthorForge = {
  readonly read: Pick<ReadingForge, keyof (ReadsChangeRequest & ReadsBranches & ReadsPermission)>;
  readonly otherBots: OtherBots;
  /** Access to git with a credential that may push. */
  readonly access: MirrorAccess;
};

export type AuthorDeps = {
  /**
   * The dependencies with the settings of the project of a fix; null if the project has no author. If absent, all
   * projects have the same settings.
   */
  readonly depsOf?: (brief: FixBrief) => AuthorDeps | null;
  readonly forges: ReadonlyMap<string, AuthorForge>;
  /** False if a cage is required but missing; every order then ends without work. */
  readonly mayWork: boolean;
  readonly agent: FixAgent;
  readonly rules: ChangeRules;
  /** Runs the validation commands on each change before its push, and for the agent while it works. */
  readonly validation: Validation;
  readonly commit: { readonly name: string; readonly email: string };
  readonly checkoutFolder: string;
  readonly scratchFolder: string;
  readonly loadBrief: (runId: RunId) => Promise<FixBrief | null>;
  readonly loadReport: (runId: RunId) => Promise<FixReport | null>;
  readonly saveReport: (report: FixReport) => Promise<void>;
  /** Returns the work that an earlier execution of the job stored; null if none did. */
  readonly loadWork: (runId: RunId) => Promise<StoredWork | null>;
  readonly saveWork: (work: StoredWork) => Promise<void>;
  /** True if guard will wait for this fix long enough for a push to finish. */
  readonly isOrdered: (of: ChangeRequest, runId: RunId) => Promise<boolean>;
  readonly deliver: (of: ChangeRequest, event: InboxEvent) => Promise<void>;
  readonly nowMs: () => number;
  readonly checkpoint: (step: string) => void;
};
