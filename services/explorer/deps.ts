import type { Brief } from '../../shared/rounds/model/brief.ts';
import type { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { ChangeRequest, RunId } from '../../shared/vocabulary/ids.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import type { MirrorAccess } from '../../shared/workspace/mirror/open-head.ts';
import type { ModelExplorer } from './converse.ts';

export type ExplorerDeps = {
  /** The models of the project of a run. If absent, all projects have the same models. */
  readonly modelsOf?: (brief: Brief) => Pick<ExplorerDeps, 'model' | 'verifier'>;
  readonly mirrors: ReadonlyMap<string, MirrorAccess>;
  readonly checkoutFolder: string;
  /** The cage in which files are opened for the model; null if no cage is available. */
  readonly cage: Cage | null;
  readonly redact: Redactor;
  /** Null if no model is configured; then only `who_uses` questions are answered. */
  readonly model: ModelExplorer | null;
  /** Null if no model is configured. */
  readonly verifier: ModelExplorer | null;
  readonly loadBrief: (runId: string) => Promise<Brief | null>;
  readonly loadQuestion: (questionId: string) => Promise<Question | null>;
  readonly loadNotes: (questionId: string) => Promise<Notes | null>;
  readonly saveNotes: (questionId: string, notes: Notes) => Promise<void>;
  readonly isCurrent: (of: ChangeRequest, runId: RunId) => Promise<boolean>;
  readonly checkpoint: (step: string) => void;
};
