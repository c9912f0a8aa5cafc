/** A ledger that also counts tokens, money and refusals as metrics. */
import type { BudgetLedger, CallPurpose, CallUse, MeasuredAmount } from '../agent/model/budget.ts';
import type { Agent } from '../config/agent-settings.ts';
import { findModel } from '../config/model-roles.ts';
import type { Metrics } from '../metrics.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import { DEFAULT_PROVIDER } from '../vocabulary/model-provider.ts';

export type SpendingMetrics = Pick<Metrics, 'modelTokens' | 'modelSpentUsd' | 'budgetRefusals' | 'labelFor'>;

/** Bounded, because the operator configures providers and models. */
export const modelLabels = (
  agent: Pick<Agent, 'provider'>,
  { role, model: reference }: { readonly role: string; readonly model: string },
) => {
  const { provider, model } = findModel(agent, reference);
  return { provider: provider?.name ?? DEFAULT_PROVIDER, model, role };
};

/** Counts a call when it is settled, because only then its use is known. */
export const countingLedger = (
  ledger: BudgetLedger,
  { metrics, agent }: { readonly metrics: SpendingMetrics; readonly agent: Pick<Agent, 'provider'> },
): BudgetLedger => {
  const open = new Map<string, CallPurpose>();
  const count = (purpose: CallPurpose, of: ChangeRequest, amount: MeasuredAmount): void => {
    const { tokens, microUsd, outputTokens = 0, cachedTokens = 0 } = amount;
    const labels = { ...modelLabels(agent, purpose), ...metrics.labelFor(of) };
    metrics.modelTokens.inc({ ...labels, kind: 'input' }, Math.max(0, tokens - outputTokens - cachedTokens));
    metrics.modelTokens.inc({ ...labels, kind: 'cached' }, cachedTokens);
    metrics.modelTokens.inc({ ...labels, kind: 'output' }, outputTokens);
    metrics.modelSpentUsd.inc(labels, microUsd / 1_000_000);
  };
  return {
    ...ledger,
    reserve: async (request) => {
      const reserved = await ledger.reserve(request);
      if (reserved.kind === 'reserved') open.set(request.callId, request.purpose);
      else metrics.budgetRefusals.inc({ scope: reserved.scope, budget: reserved.budget });
      return reserved;
    },
    settle: async (callId, account, used) => {
      await ledger.settle(callId, account, used);
      const purpose = open.get(callId);
      if (purpose === undefined) return;
      open.delete(callId);
      const { otherModels = [] } = used;
      count(purpose, account.changeRequest, ownPart(used));
      for (const other of otherModels) count({ ...purpose, model: other.model }, account.changeRequest, other);
    },
  };
};

/** The amounts of other models are parts of the whole. */
const ownPart = (used: CallUse): MeasuredAmount => {
  const { otherModels = [], ...whole } = used;
  const rest = (of: (amount: MeasuredAmount) => number): number =>
    Math.max(0, of(whole) - otherModels.reduce((sum, other) => sum + of(other), 0));
  return {
    tokens: rest(({ tokens }) => tokens),
    microUsd: rest(({ microUsd }) => microUsd),
    outputTokens: rest(({ outputTokens = 0 }) => outputTokens),
    cachedTokens: rest(({ cachedTokens = 0 }) => cachedTokens),
  };
};
