/** The production functions that the walks explore, as one value: mutants are loaded in its place. */
import { buildAnnouncePlan, buildCapPlan, buildRoundPlan } from '../../../shared/rounds/build-plan.ts';
import { buildCarriedPlan } from '../../../shared/rounds/carried-plan.ts';
import { buildClosedPlans } from '../../../shared/rounds/closed-plan.ts';
import { decide } from '../../../shared/rounds/decide.ts';
import { handoffAfter, postingKey } from '../../../shared/rounds/difference.ts';
import { buildFixAnnouncePlan, buildFixEndPlan } from '../../../shared/rounds/fix-plan.ts';
import { gate, gateTalk, openThreads, threadsOfTalk } from '../../../shared/rounds/gate.ts';
import { buildGiveUpPlan } from '../../../shared/rounds/give-up-plan.ts';
import { buildParkedPlan } from '../../../shared/rounds/outage-plan.ts';
import { rebuildHistory } from '../../../shared/rounds/history.ts';
import { reconcile } from '../../../shared/rounds/reconcile.ts';
import { buildTalkAnnouncePlan, buildTalkGiveUpPlan, buildTalkPlan } from '../../../shared/rounds/talk-plan.ts';
import { legalActions, openThread, showFixed, stepThread } from '../../../shared/rounds/thread.ts';

export const PRODUCTION = {
  buildAnnouncePlan,
  buildCapPlan,
  buildCarriedPlan,
  buildClosedPlans,
  buildFixAnnouncePlan,
  buildFixEndPlan,
  buildGiveUpPlan,
  buildParkedPlan,
  buildRoundPlan,
  buildTalkAnnouncePlan,
  buildTalkGiveUpPlan,
  buildTalkPlan,
  decide,
  gate,
  gateTalk,
  handoffAfter,
  legalActions,
  openThread,
  openThreads,
  postingKey,
  rebuildHistory,
  reconcile,
  showFixed,
  stepThread,
  threadsOfTalk,
};

export type Reducers = typeof PRODUCTION;
