import type { ProjectBrief } from '../../shared/runtime/settings-of-brief.ts';
import type { Analyzers } from '../../shared/analyzers/connect.ts';
import type { Mistake } from '../../shared/outage/outage.ts';
import type { LoadedSource } from '../../shared/rule-sources/load-source.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { Input } from '../../shared/rounds/model/input.ts';
import type { RuleFound } from '../../shared/rounds/model/posting/rules-told.ts';
import type { Analysis } from '../../shared/rules/model/analysis.ts';
import type { ProjectIgnores } from '../../shared/vocabulary/ignores.ts';
import type { ChangeRequest, RunId } from '../../shared/vocabulary/ids.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import type { Validation } from '../../shared/validation/connect.ts';
import type { MirrorAccess } from '../../shared/workspace/mirror/open-head.ts';
import type { PacketLimits } from './packet/packet.ts';
import type { Explorers } from './run/explorers.ts';
import type { ParentJob } from './queued-explorers.ts';
import type { Runner } from './run/runner.ts';

export type ReviewerDeps = Pick<Validation, 'validate' | 'validationS'> & {
  /** The dependencies with the settings of the project of a run. If absent, all projects have the same settings. */
  readonly depsOf?: (brief: Brief) => ReviewerDeps;
  /** Absent if the operator has configured no analyzer. */
  readonly analyzers?: Analyzers;
  /** Absent if the operator has configured no source of rules. */
  readonly ruleSources?: {
    readonly load: (brief: Brief, signal: AbortSignal) => Promise<readonly LoadedSource[]>;
    /** The time for it in seconds. */
    readonly loadS: number;
  };
  /** What analyzers and own rules found in a run. */
  readonly analyses: {
    readonly load: (runId: RunId) => Promise<Analysis | null>;
    readonly save: (runId: RunId, analysis: Analysis) => Promise<void>;
  };
  readonly mirrors: ReadonlyMap<string, MirrorAccess>;
  readonly limits: PacketLimits;
  readonly runner: Runner;
  readonly explorersOf: (parent: ParentJob) => Explorers;
  /** Loads the notes of the change request's last run; null if it left none. */
  readonly loadNotes: (of: ChangeRequest) => Promise<string | null>;
  readonly saveRawText: (runId: RunId, text: string) => Promise<void>;
  /** Stores the rules' findings of a run whose model produced no review. */
  readonly saveRulesFound: (runId: RunId, found: readonly RuleFound[]) => Promise<void>;
  readonly isCurrent: (of: ChangeRequest, runId: RunId) => Promise<boolean>;
  /** Whether any model call of the run was answered. If absent, the run counts as answered. */
  readonly wasAnswered?: (runId: RunId) => Promise<boolean>;
  readonly redact: Redactor;
  readonly loadBrief: (runId: string) => Promise<Brief | null>;
  readonly saveDraft: (draft: ReviewDraft) => Promise<void>;
  readonly wantedInput: (of: ChangeRequest) => Promise<Input | null>;
  readonly operatorRulesOf: (brief: ProjectBrief) => string;
  /** If absent, the default of the setting applies. */
  readonly projectIgnores?: ProjectIgnores;
  /** Names of the operator's analyzers. Absent means none. */
  readonly analyzerNames?: readonly string[];
  readonly deliver: (of: ChangeRequest, event: InboxEvent) => Promise<void>;
  /**
   * Reports a configuration mistake to people. Needed because such a run returns a value instead of throwing, so the
   * worker does not see the mistake.
   */
  readonly noteMistake?: (mistake: Mistake) => Promise<void>;
  readonly nowMs: () => number;
  readonly checkpoint: (step: string) => void;
};
