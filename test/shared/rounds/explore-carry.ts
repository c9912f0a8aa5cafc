/** What happens to a run that may only carry a verdict. Which heads are the same input is for the world to choose. */
import type { Carried } from '../../../shared/rounds/model/carried.ts';
import { DIFFERENT_INPUT } from '../../../shared/rounds/decide/decide-carry.ts';
import type { PlanContext } from '../../../shared/rounds/model/plan-context.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { lastReviewed } from '../../../shared/rounds/model/history.ts';
import type { PostPlan } from '../../../shared/rounds/model/post-plan.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import { print, runEvent, sha } from './builders.ts';
import { PAST } from './explore-names.ts';
import type { Reducers } from './explore-reducers.ts';

/** The reviewed head is put in when it is asked for: worlds do not tell reviewed heads apart. */
const CARRIED: Carried = {
  base: sha('base'),
  targetHead: sha('target'),
  patchFingerprint: print('patch'),
  reviewedHead: PAST,
  reviewedBase: sha('base'),
  reviewedTarget: 'main',
  rules: print('rules'),
  baseMoved: true,
};

/** A reviewer that hands in a draft all the same is not listened to. */
export const comparisonReports = (run: Run): readonly (readonly [label: string, report: InboxEvent])[] => [
  ['the same input', { ...reportOf(run), kind: 'same_input', code: null, carried: CARRIED }],
  ['another input', { ...reportOf(run), kind: 'failed', code: DIFFERENT_INPUT }],
  ['a draft that nobody asked for', runEvent(run, 'drafted')],
  ['the comparison is superseded', runEvent(run, 'superseded')],
  ['the comparison fails', runEvent(run, 'failed')],
];

const reportOf = ({ runId }: Run) => ({ source: 'run' as const, id: `compared-${runId}`, atMs: 0, runId });

export const carriedPlan = ({ buildCarriedPlan }: Reducers, context: PlanContext, run: Run): PostPlan => {
  const last = lastReviewed(context.history);
  const { head: reviewedHead = PAST, target: reviewedTarget = 'main' } = last ?? {};
  const carried = { ...CARRIED, reviewedHead, reviewedTarget };
  const plan = buildCarriedPlan(context, { run, carried, ci: null });
  if (plan === null) throw new Error('a run carries what cannot be carried');
  return plan;
};
