/** The production functions that the walks explore, as one value: mutants are loaded in its place. */
import { buildAnnouncePlan } from '../../../shared/rounds/plan/announce-plan.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import { buildCarriedPlan } from '../../../shared/rounds/plan/carried-plan.ts';
import { buildClosedPlans } from '../../../shared/rounds/plan/closed-plan.ts';
import { decide } from '../../../shared/rounds/decide/decide.ts';
import { handoffAfter, postingKey } from '../../../shared/rounds/plan/difference.ts';
import { buildFixAnnouncePlan, buildFixEndPlan } from '../../../shared/rounds/plan/fix-plan.ts';
import { gate, gateReplies, openThreads, threadsInScope } from '../../../shared/rounds/gate/gate.ts';
import { buildGiveUpPlan } from '../../../shared/rounds/plan/give-up-plan.ts';
import { buildParkedPlan } from '../../../shared/rounds/plan/outage-plan.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import { resultOf } from '../../../shared/rounds/decide/result-of-run.ts';
import { reconcile } from '../../../shared/rounds/memory/reconcile.ts';
import {
  buildRepliesAnnouncePlan,
  buildRepliesGiveUpPlan,
  buildRepliesPlan,
} from '../../../shared/rounds/plan/thread-replies-plan.ts';
import { legalActions, openThread, showFixed, stepThread } from '../../../shared/rounds/model/thread.ts';

export const PRODUCTION = {
  buildAnnouncePlan,
  buildCapPlan,
  buildCarriedPlan,
  buildClosedPlans,
  buildFixAnnouncePlan,
  buildFixEndPlan,
  buildGiveUpPlan,
  buildParkedPlan,
  buildReviewPlan,
  buildRepliesAnnouncePlan,
  buildRepliesGiveUpPlan,
  buildRepliesPlan,
  decide,
  gate,
  gateReplies,
  handoffAfter,
  legalActions,
  openThread,
  openThreads,
  postingKey,
  rebuildHistory,
  reconcile,
  resultOf,
  showFixed,
  stepThread,
  threadsInScope,
};

export type Reducers = typeof PRODUCTION;
