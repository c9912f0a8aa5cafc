/** Metrics about models: calls, tokens, money and budgets. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProjectLabel } from './project-label.ts';

type OfModel = 'provider' | 'model' | 'role';

export type ModelMetrics = {
  readonly modelCalls: Counter<'stop'>;
  readonly modelSeconds: Histogram<OfModel>;
  readonly modelErrors: Counter<OfModel | 'code'>;
  readonly modelRetries: Counter<'code'>;
  /** `kind`: input (not from the cache), cached or output. */
  readonly modelTokens: Counter<OfModel | 'kind' | ProjectLabel>;
  readonly modelSpentUsd: Counter<OfModel | ProjectLabel>;
  /** `scope`: run, change_request, project or day; `budget`: tokens or money. */
  readonly budgetRefusals: Counter<'scope' | 'budget'>;
  readonly budgetUsed: Gauge<'scope' | 'budget'>;
};

export const createModelMetrics = (registers: Registry[], project: readonly ProjectLabel[]): ModelMetrics => ({
  modelCalls: new Counter({
    name: 'fixpoint_model_calls_total',
    help: 'Answers of a model, by stop reason',
    labelNames: ['stop'],
    registers,
  }),
  modelSeconds: new Histogram({
    name: 'fixpoint_model_call_seconds',
    help: 'Time until the complete answer of a model, or until the call failed',
    labelNames: ['provider', 'model', 'role'],
    buckets: [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640],
    registers,
  }),
  modelErrors: new Counter({
    name: 'fixpoint_model_errors_total',
    help: 'Model calls that failed, by error code; retried calls count each time',
    labelNames: ['provider', 'model', 'role', 'code'],
    registers,
  }),
  modelRetries: new Counter({
    name: 'fixpoint_model_retries_total',
    help: 'Model calls that were retried, by error',
    labelNames: ['code'],
    registers,
  }),
  ...createSpendingMetrics(registers, project),
});

type SpendingMetrics = Pick<ModelMetrics, 'modelTokens' | 'modelSpentUsd' | 'budgetRefusals' | 'budgetUsed'>;

const createSpendingMetrics = (registers: Registry[], project: readonly ProjectLabel[]): SpendingMetrics => ({
  modelTokens: new Counter({
    name: 'fixpoint_model_tokens_total',
    help: 'Tokens that a model read, from its cache or not, and wrote',
    labelNames: ['provider', 'model', 'role', 'kind', ...project],
    registers,
  }),
  modelSpentUsd: new Counter({
    name: 'fixpoint_model_spent_usd_total',
    help: 'Dollars that model calls cost, by the prices in the settings',
    labelNames: ['provider', 'model', 'role', ...project],
    registers,
  }),
  budgetRefusals: new Counter({
    name: 'fixpoint_budget_refusals_total',
    help: 'Model calls that a budget refused, by the scope whose budget was used up',
    labelNames: ['scope', 'budget'],
    registers,
  }),
  budgetUsed: new Gauge({
    name: 'fixpoint_budget_used_ratio',
    help: "How much of the day's budget is spent or reserved, from 0 to 1. Served by one guard at a time",
    labelNames: ['scope', 'budget'],
    registers,
  }),
});
