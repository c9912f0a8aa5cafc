import { randomInt, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { BudgetLedger, BudgetLimits } from '../agent/model/budget.ts';
import { createAgentClock, type AgentClock } from '../agent/model/clock.ts';
import type { Meter } from '../agent/model/metered-model.ts';
import type { Model } from '../agent/model/model.ts';
import { PROVIDERS } from '../agent/models/providers.ts';
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../vocabulary/model-provider.ts';
import { type ModelPrice, PRICES, priceOf } from '../agent/model/prices.ts';
import type { Agent, ModelBudgets } from '../config/agent-settings.ts';
import type { Config } from '../config/load.ts';
import type { ModelAccess } from '../config/secrets.ts';
import { AppError } from '../errors.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import { raiseOver } from '../queue/raise.ts';
import { createBudgetLedger } from '../store/budget-ledger.ts';
import { tellingLedger } from './telling-ledger.ts';

export type ConnectedModel = {
  readonly model: Model;
  readonly clock: AgentClock;
  readonly meterOf: (model: string, payer: Payer) => Meter;
};

export type Payer = { readonly runId: string; readonly changeRequest: ChangeRequest };

/** Without a price, the money budget of the model cannot be enforced. */
export class ModelWithoutPriceError extends AppError {
  constructor(model: string) {
    super({
      code: 'MODEL_WITHOUT_PRICE',
      message: `the model ${model} has no price; add one with [[agent.price]]`,
      disposition: { kind: 'fail' },
      fields: { model },
    });
  }
}

/** Address of the model: the operator's setting, otherwise the environment, otherwise the provider's default. */
export const modelAddressOf = (agent: Pick<Agent, 'baseUrl'>, access: Pick<ModelAccess, 'baseUrl'>): string =>
  agent.baseUrl ?? access.baseUrl ?? PROVIDER_FACTS[DEFAULT_PROVIDER].baseUrl;

const MICRO = 1_000_000;

export const budgetLimitsOf = (budgets: ModelBudgets): BudgetLimits => ({
  run: { tokens: budgets.runTokens, microUsd: Math.round(budgets.runUsd * MICRO) },
  change_request: { tokens: budgets.changeRequestTokens, microUsd: Math.round(budgets.changeRequestUsd * MICRO) },
  project: { tokens: budgets.projectTokens, microUsd: Math.round(budgets.projectUsd * MICRO) },
  day: { tokens: budgets.dayTokens, microUsd: Math.round(budgets.dayUsd * MICRO) },
});

/** Returns the operator's price if there is one, otherwise the built-in price. @throws ModelWithoutPriceError */
export const modelPrice = ({ price }: Agent, model: string): ModelPrice => {
  const own = price.find((one) => one.model === model);
  const known =
    own === undefined
      ? priceOf(PRICES, model)
      : {
          inputPerMTok: own.inputUsd,
          outputPerMTok: own.outputUsd,
          above: null,
          cache: PROVIDER_FACTS[DEFAULT_PROVIDER].cache,
        };
  if (known === null) throw new ModelWithoutPriceError(model);
  return known;
};

type Connecting = { readonly agent: Agent; readonly access: ModelAccess; readonly ledger: BudgetLedger };

/** @throws ModelWithoutPriceError for a configured model, so that the service fails at start. */
export const createConnectedModel = ({ agent, access, ledger }: Connecting): ConnectedModel => {
  for (const { model } of [agent.reviewer, agent.explorer]) modelPrice(agent, model);
  return {
    model: PROVIDERS[DEFAULT_PROVIDER].create({
      apiKey: access.key,
      baseUrl: modelAddressOf(agent, access),
      stream: agent.stream,
      longCache: agent.longCache && PROVIDER_FACTS[DEFAULT_PROVIDER].hasLongCache,
      idleTimeoutMs: agent.idleTimeoutS * 1000,
      callTimeoutMs: agent.callTimeoutS * 1000,
      nowMs: () => Date.now(),
    }),
    clock: createAgentClock(() => randomInt(MICRO) / MICRO),
    meterOf: (model, payer) => ({
      ledger,
      // `Date.now` is the store's clock in processes that call `useAsProcessClock`.
      account: { ...payer, day: new Date(Date.now()).toISOString().slice(0, 10) },
      price: modelPrice(agent, model),
      newCallId: () => `${payer.runId}-${randomUUID()}`,
    }),
  };
};

/** Returns null when the configuration uses only the rules, or when `auto` found no key. */
export const connectModel = (config: Config, redis: Redis): ConnectedModel | null => {
  const {
    agent,
    budgets,
    secrets,
    redis: { prefix },
  } = config;
  if (secrets.model === null) return null;
  const ledger = createBudgetLedger(redis, { prefix, limits: budgetLimitsOf(budgets.model) });
  return createConnectedModel({
    agent,
    access: secrets.model,
    ledger: tellingLedger(ledger, { raise: raiseOver(redis, config), nowMs: () => Date.now() }),
  });
};
