import { OVERTAKEN } from '../../shared/queue/enqueue.ts';
import type { PostJob } from '../../shared/queue/contracts.ts';
import { fitPlan } from '../../shared/rounds/model/posting/fit-plan.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import type { GuardDeps } from './deps.ts';

/** Each part needs one write; a part with an unknown outcome may need a few more. */
const WRITES_PER_PART = 5;
const POST_RUNTIME_S = 600;

const postBudget = (plan: PostPlan): PostJob['budget'] => ({
  maxWrites:
    WRITES_PER_PART * (plan.inline.length + plan.replies.length + plan.closures.length + plan.notices.length + 2),
  maxRuntimeS: POST_RUNTIME_S,
});

/** Nobody waits for a status that only says that the review will begin. A person waits for the reaction to a command. */
const isMereStatus = ({ kind, reactions }: PostPlan): boolean => kind === 'acknowledge' && reactions.length === 0;

/** An existing plan is never rebuilt, because half of it may already be on the forge. */
export const sendPlan = async (deps: GuardDeps, built: PostPlan): Promise<void> => {
  const plan = fitPlan(built);
  const key = deps.keys.plan(plan.planId);
  if (await deps.plans.saveOnce(key, plan)) await deps.handLook?.(plan);
  const { changeRequest, runId, planId } = plan;
  await deps.enqueue(
    'post',
    { v: 1, changeRequest, runId, planId, budget: postBudget(plan) },
    { jobId: `post-${planId}`, ...(isMereStatus(plan) ? { priority: OVERTAKEN } : {}) },
  );
};
