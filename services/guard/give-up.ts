/** Builds the plan for a run without a review: the reason, the last model output, and what the built-in rules found. */
import type { PlanContext } from '../../shared/rounds/model/posting/plan-context.ts';
import type { Facts } from '../../shared/rounds/model/facts.ts';
import { buildGiveUpPlan } from '../../shared/rounds/plan/give-up-plan.ts';
import { inOneComment } from '../../shared/rounds/plan/in-one-comment.ts';
import { buildParkedPlan } from '../../shared/rounds/plan/outage-plan.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { type RuleFound, rulesFoundIn } from '../../shared/rounds/model/posting/rules-told.ts';
import type { Run } from '../../shared/rounds/model/run.ts';
import type { Effect } from '../../shared/rounds/model/effect.ts';
import { buildRepliesGiveUpPlan } from '../../shared/rounds/plan/thread-replies-plan.ts';
import type { GuardDeps } from './deps.ts';

type GivingUp = {
  readonly context: PlanContext;
  readonly answers: Facts['answers'];
  readonly command: Effect & { readonly kind: 'give_up' };
};

export const planToGiveUp = async (deps: GuardDeps, { context, answers, command }: GivingUp): Promise<PostPlan> => {
  const { run, code, outage } = command;
  if (outage === undefined && (run.kind === 'reply' || run.kind === 'reevaluate'))
    return buildRepliesGiveUpPlan(context, run, { code, waiting: answers });
  const byRules = await loadRulesFound(deps, run);
  if (outage !== undefined) return buildParkedPlan(context, { run, code, outage, byRules });
  const raw = await deps.raws.load(deps.keys.ofRun(run.runId, 'raw'));
  const plan = buildGiveUpPlan(context, run, { code, lastWords: raw?.text ?? null, byRules });
  return inOneComment(plan, context.history);
};

/** Loads the rules' findings that the reviewer stored, or takes them from a draft that violated the protocol. */
const loadRulesFound = async (deps: GuardDeps, run: Run): Promise<readonly RuleFound[]> => {
  const found = await deps.rulesFound.load(deps.keys.ofRun(run.runId, 'rules'));
  if (found !== null) return found.findings;
  const draft = await deps.drafts.load(deps.keys.ofRun(run.runId, 'draft'));
  return rulesFoundIn((draft?.findings ?? []).map(({ claim }) => claim));
};
