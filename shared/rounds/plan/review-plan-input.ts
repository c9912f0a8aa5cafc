import type { CiReading } from '../model/ci.ts';
import type { ReviewDraft } from '../model/draft.ts';
import type { GateResult } from '../model/gate-result.ts';
import type { ReviewRun } from '../model/run.ts';
import type { PlanContext } from '../model/posting/plan-context.ts';

export type ReviewPlanInput = PlanContext & {
  readonly run: ReviewRun;
  readonly draft: ReviewDraft;
  readonly gated: GateResult;
  /** The CI result of this head when the review was ready. Absent or null if CI does not matter. */
  readonly ci?: CiReading | null;
};
