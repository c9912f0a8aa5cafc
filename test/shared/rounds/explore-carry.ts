/** What a review run reports when its head is a reviewed input. Which heads are the same input is for the world to choose. */
import { type Carried, carriedVerdict } from '../../../shared/rounds/model/carried.ts';
import type { PlanContext } from '../../../shared/rounds/model/posting/plan-context.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { type History, lastReviewed } from '../../../shared/rounds/model/history.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import type { ReviewRun, Run } from '../../../shared/rounds/model/run.ts';
import { carried } from './builders.ts';
import { PAST } from './explore-names.ts';
import type { Reducers } from './explore-reducers.ts';

/** Null when nothing may be carried: no verdict, or the cap is reached. */
export const carriedReport = (run: Run, history: History, maxCarried: number): InboxEvent | null => {
  const last = lastReviewed(history);
  const mayCarry = run.kind === 'review' && run.full !== true && history.carriedHeads < maxCarried;
  if (!mayCarry || last === null || carriedVerdict(last, history.threads) === null) return null;
  return { ...reportOf(run), kind: 'same_input', code: null, carried: carriedFrom(history) };
};

const carriedFrom = (history: History): Carried => {
  const { head: reviewedHead = PAST, target: reviewedTarget = 'main' } = lastReviewed(history) ?? {};
  return { ...carried(reviewedHead), reviewedTarget };
};

const reportOf = ({ runId }: Run) => ({ source: 'run' as const, id: `compared-${runId}`, atMs: 0, runId });

export const carriedPlan = ({ buildCarriedPlan }: Reducers, context: PlanContext, run: ReviewRun): PostPlan => {
  const plan = buildCarriedPlan(context, { run, carried: carriedFrom(context.history), ci: null });
  if (plan === null) throw new Error('a run carries what cannot be carried');
  return plan;
};
