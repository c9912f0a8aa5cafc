/** From what was read to what is to be done. Computes only. */
import type { Facts } from './facts.ts';
import { type Configured, planConfig, planVariables } from './plan-files.ts';
import { planHooks } from './plan-hooks.ts';
import { planMembers } from './plan-members.ts';
import type { Step } from './step.ts';

export type PlanWish = {
  readonly configured: Configured;
  /** Variables that the file must have. */
  readonly needed: readonly string[];
  /** Whether the secret of the webhooks was set before this run. */
  readonly secretsKnown: boolean;
  /** Replace webhooks that are there. */
  readonly replaces: boolean;
};

/** Secrets are saved before any webhook has them, so that a crash leaves no webhook with an unknown secret. */
export const planSetup = (facts: Facts, wish: PlanWish): readonly Step[] => [
  planConfig(facts, wish.configured),
  planVariables(facts, wish.needed),
  ...planMembers(facts),
  ...planHooks({ facts, known: wish.secretsKnown, replaces: wish.replaces }),
];

export const actionsOf = (steps: readonly Step[]) => steps.flatMap(({ actions }) => actions);

export const isDone = (steps: readonly Step[]): boolean => steps.every(({ state }) => state === 'done');
