import { randomInt, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { BudgetLedger, BudgetLimits } from '../agent/model/budget.ts';
import type { Effort } from '../agent/model/capabilities.ts';
import { createAgentClock, type AgentClock } from '../agent/model/clock.ts';
import type { Meter } from '../agent/model/metered-model.ts';
import type { Model } from '../agent/model/model.ts';
import type { Agent, ModelBudgets } from '../config/agent-settings.ts';
import type { Config } from '../config/load.ts';
import { chainOf, effortOf, type ModelRole, modelsInUse } from '../config/model-roles.ts';
import type { ModelAccess } from '../config/secrets.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { SpendingRole } from '../vocabulary/spending-role.ts';
import type { Metrics } from '../metrics.ts';
import { raiseOver } from '../queue/raise.ts';
import { createBudgetLedger } from '../store/budget-ledger.ts';
import { countingLedger, type SpendingMetrics } from './counting-ledger.ts';
import { modelPrice } from './model-price.ts';
import { createRoutedModel } from './routed-model.ts';
import { tellingLedger } from './telling-ledger.ts';
import { timedModel } from './timed-model.ts';

export type ConnectedModel = {
  readonly model: Model;
  readonly clock: AgentClock;
  readonly meterOf: (model: string, of: MeterFor) => Meter;
};

export type Payer = { readonly runId: string; readonly changeRequest: ChangeRequest };

/** Who makes the calls, and for whom. */
export type MeterFor = Payer & { readonly role: SpendingRole };

const MICRO = 1_000_000;

export const budgetLimitsOf = (budgets: ModelBudgets): BudgetLimits => ({
  run: { tokens: budgets.runTokens, microUsd: Math.round(budgets.runUsd * MICRO) },
  change_request: { tokens: budgets.changeRequestTokens, microUsd: Math.round(budgets.changeRequestUsd * MICRO) },
  project: { tokens: budgets.projectTokens, microUsd: Math.round(budgets.projectUsd * MICRO) },
  day: { tokens: budgets.dayTokens, microUsd: Math.round(budgets.dayUsd * MICRO) },
});

type Connecting = {
  readonly agent: Agent;
  readonly access: ModelAccess;
  readonly ledger: BudgetLedger;
  /** How much the role thinks. Default: as the provider decides. */
  readonly effort?: Effort | null;
  /** The models that may take over, in order. Default: none. */
  readonly chain?: readonly string[];
};

/** @throws ModelWithoutPriceError for a configured model, so that the service fails at start. */
export const createConnectedModel = ({
  agent,
  access,
  ledger,
  effort = null,
  chain = [],
}: Connecting): ConnectedModel => {
  for (const model of [...modelsInUse(agent), ...chain]) modelPrice(agent, model);
  return {
    model: createRoutedModel(agent, access, effort),
    clock: createAgentClock(() => randomInt(MICRO) / MICRO),
    meterOf: (model, { runId, changeRequest, role }) => ({
      ledger,
      role,
      // `Date.now` is the store's clock in processes that call `useAsProcessClock`.
      account: { runId, changeRequest, day: new Date(Date.now()).toISOString().slice(0, 10) },
      price: modelPrice(agent, model),
      fallbacks: chain
        .filter((each) => each !== model)
        .map((each) => ({ model: each, price: modelPrice(agent, each) })),
      newCallId: () => `${runId}-${randomUUID()}`,
    }),
  };
};

type Connections = {
  readonly redis: Redis;
  readonly metrics: SpendingMetrics & Pick<Metrics, 'modelSeconds' | 'modelErrors'>;
};

/** Returns null when the configuration uses only the rules, or when `auto` found no key. */
export const connectModel = (
  config: Config,
  { redis, metrics }: Connections,
  role: ModelRole,
): ConnectedModel | null => {
  const {
    agent,
    budgets,
    secrets,
    redis: { prefix },
  } = config;
  if (secrets.model === null) return null;
  const plain = createBudgetLedger(redis, { prefix, limits: budgetLimitsOf(budgets.model) });
  const ledger = countingLedger(plain, { metrics, agent });
  const connected = createConnectedModel({
    agent,
    access: secrets.model,
    effort: effortOf(agent, role),
    chain: chainOf(agent, role),
    ledger: tellingLedger(ledger, { raise: raiseOver(redis, config), nowMs: () => Date.now() }),
  });
  return { ...connected, model: timedModel(connected.model, { metrics, agent, role }) };
};
