/** What guard carries out effects with, on a real Redis and a forge in memory, and what came of them. */
import type { Redis } from 'ioredis';
import type { GuardDeps } from '../../../services/guard/deps.ts';
import type { EffectContext } from '../../../services/guard/effect-context.ts';
import { runEffects } from '../../../services/guard/run-effects.ts';
import type { Effect } from '../../../shared/rounds/model/effect.ts';
import type { Facts } from '../../../shared/rounds/model/facts.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createModelForge } from './model-forge.ts';
import { createModelJobs, type ModelJob } from './model-jobs.ts';
import { guardDeps } from './model-stage.ts';

export type EffectsBench = {
  readonly context: EffectContext;
  readonly deps: GuardDeps;
  /** Names of the checkpoints, in order. */
  readonly steps: string[];
  /** Carries the effects out, and takes what is in the queues then. */
  readonly run: (...effects: readonly Effect[]) => Promise<{
    readonly slot: boolean | null;
    readonly jobs: readonly ModelJob[];
    readonly plans: readonly PostPlan[];
  }>;
};

export const createEffectsBench = (
  redis: Redis,
  patch: { readonly facts?: Partial<Facts>; readonly deps?: (deps: GuardDeps) => Partial<GuardDeps> } = {},
): EffectsBench => {
  const jobs = createModelJobs();
  const steps: string[] = [];
  const policy = make.policy();
  const forge = createModelForge(jobs.nowMs);
  const real = guardDeps({ redis, policy, jobs, forge, newRunId: () => make.runId('fresh') });
  const deps: GuardDeps = { ...real, checkpoint: (step) => void steps.push(step), ...patch.deps?.(real) };
  const { changeRequest: of } = make.changeRequest();
  const facts = make.facts(patch.facts);
  const context: EffectContext = { deps, of, facts, counts: make.state(), signal: never() };
  const taken = (): readonly ModelJob[] => {
    const all: ModelJob[] = [];
    for (let job = jobs.take(0); job !== null; job = jobs.take(0)) all.push(job.job);
    return all;
  };
  const planOf = async (job: ModelJob): Promise<readonly PostPlan[]> => {
    const plan = job.name === 'post' ? await deps.plans.load(deps.keys.plan(job.payload.planId)) : null;
    return plan === null ? [] : [plan];
  };
  return {
    context,
    deps,
    steps,
    run: async (...effects) => {
      const { slot } = await runEffects(context, effects);
      const all = taken();
      return { slot, jobs: all, plans: (await Promise.all(all.map(planOf))).flat() };
    },
  };
};
