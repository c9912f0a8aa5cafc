/** Plans what has to be done from what was read. Computes only. */
import type { SetupFacts } from './facts.ts';
import { type Configured, planConfig, planVariables } from './plan-files.ts';
import { planHooks } from './plan-hooks.ts';
import { planMembers } from './plan-members.ts';
import type { SetupStep } from './step.ts';

export type PlanWish = {
  readonly configured: Configured;
  /** Names of the variables that the file must have. */
  readonly needed: readonly string[];
  /** Whether the secret of the webhooks was set before this run. */
  readonly secretsKnown: boolean;
  /** Whether existing webhooks are replaced. */
  readonly replaces: boolean;
};

/** Secrets are saved before any webhook uses them, so that a crash leaves no webhook with an unknown secret. */
export const planSetup = (facts: SetupFacts, wish: PlanWish): readonly SetupStep[] => [
  planConfig(facts, wish.configured),
  planVariables(facts, wish.needed),
  ...planMembers(facts),
  ...planHooks({ facts, known: wish.secretsKnown, replaces: wish.replaces }),
];

export const actionsOf = (steps: readonly SetupStep[]) => steps.flatMap(({ actions }) => actions);

export const isAllDone = (steps: readonly SetupStep[]): boolean => steps.every(({ state }) => state === 'done');
