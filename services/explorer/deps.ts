import type { Brief } from '../../shared/rounds/brief.ts';
import type { Notes, Question } from '../../shared/rounds/question.ts';
import type { Redactor } from '../../shared/text/redact.ts';
import type { MirrorAccess } from '../../shared/workspace/open-head.ts';

export type ExplorerDeps = {
  /** By forge id. */
  readonly mirrors: ReadonlyMap<string, MirrorAccess>;
  /** Checkouts are made and removed below this folder. */
  readonly checkoutFolder: string;
  readonly redact: Redactor;
  readonly loadBrief: (runId: string) => Promise<Brief | null>;
  readonly loadQuestion: (questionId: string) => Promise<Question | null>;
  readonly saveNotes: (questionId: string, notes: Notes) => Promise<void>;
};
