/** Reserves the worst-case cost before every model call and settles the actual cost afterwards, even if the call failed. */
import { AppError } from '../../errors.ts';
import type { SpendingRole } from '../../vocabulary/spending-role.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../vocabulary/spent.ts';
import {
  type BudgetAccount,
  type Amount,
  type BudgetLedger,
  inputBound,
  longBound,
  type KnownPrefix,
  type BudgetRefusal,
} from './budget.ts';
import { inputTokens, type Model, type ModelRequest, type ModelUsage, totalTokens } from './model.ts';
import { type FailureCost, ModelCallStoppedError, ModelError } from './model-errors.ts';
import { costMicroUsd, type ModelPrice, worstCostMicroUsd } from './prices.ts';

/**
 * The budget, not the provider, refused the call. The caller ends the run and names the budget, so this error never
 * reaches the queue.
 */
export class BudgetRefusedError extends AppError {
  readonly refusal: BudgetRefusal;

  constructor(refusal: BudgetRefusal) {
    super({
      code: 'BUDGET_EXCEEDED',
      message: 'the budget is too small for another model call',
      disposition: { kind: 'fail' },
      fields: { ...refusal },
    });
    this.refusal = refusal;
  }
}

export type Meter = {
  readonly ledger: BudgetLedger;
  readonly account: BudgetAccount;
  readonly role: SpendingRole;
  readonly price: ModelPrice;
  /** The models that may take over when the first one fails, in order, with their prices. */
  readonly fallbacks?: readonly { readonly model: string; readonly price: ModelPrice }[];
  /** Contract: returns a new unique id on every call. */
  readonly newCallId: () => string;
};

/** `takeSpent` returns what was spent since the previous call of `takeSpent`. */
export type MeteredModel = Model & {
  readonly knowing: (known: KnownPrefix | null) => void;
  readonly takeSpent: () => Spent;
};

const asSpent = (usage: ModelUsage, microUsd: number): Spent => ({
  ...NOTHING_SPENT,
  modelCalls: 1,
  inputTokens: inputTokens(usage),
  outputTokens: usage.output,
  cachedTokens: usage.cacheRead,
  costUsd: microUsd / 1_000_000,
});

type Worst = Amount & { readonly input: number; readonly output: number; readonly price: ModelPrice };

const worstOf = (request: ModelRequest, known: KnownPrefix | null, price: ModelPrice): Worst => {
  const input = inputBound(request, known);
  const output = request.maxOutputTokens;
  const microUsd = worstCostMicroUsd(price, {
    inputTokens: input,
    outputTokens: output,
    longTokens: longBound(request),
  });
  return { input, output, tokens: input + output, microUsd, price };
};

const usageOfFailure = (cost: FailureCost, worst: Worst): ModelUsage | null => {
  const none = { uncachedInput: 0, cacheWrite: 0, cacheRead: 0, output: 0, cacheWriteLong: 0 };
  switch (cost.kind) {
    case 'nothing':
      return none;
    case 'input':
      return { ...none, uncachedInput: worst.input };
    case 'streamed':
      return { ...cost.usage, output: Math.min(cost.usage.output, worst.output) };
    case 'unreported':
      return { ...none, uncachedInput: worst.input, output: Math.min(cost.output, worst.output) };
    case 'at_least':
      return { ...cost.usage, output: Math.max(cost.usage.output, worst.output) };
    case 'unknown':
      return null;
    default:
      return cost satisfies never;
  }
};

export const createMeteredModel = (model: Model, meter: Meter): MeteredModel => {
  const { ledger, account, role, newCallId } = meter;
  const priceOf = ({ model: name }: ModelRequest): ModelPrice =>
    meter.fallbacks?.find(({ model: each }) => each === name)?.price ?? meter.price;
  let prefix: KnownPrefix | null = null;
  let spent: Spent = NOTHING_SPENT;
  const settle = async (callId: string, usage: ModelUsage | null, worst: Worst): Promise<void> => {
    const { price } = worst;
    const worstUsage = {
      uncachedInput: worst.input,
      cacheWrite: 0,
      cacheRead: 0,
      output: worst.output,
      cacheWriteLong: 0,
    };
    const microUsd = usage === null ? worst.microUsd : costMicroUsd(price, usage);
    const { output, cacheRead } = usage ?? worstUsage;
    const tokens = usage === null ? worst.tokens : totalTokens(usage);
    const used = { tokens, microUsd, outputTokens: output, cachedTokens: cacheRead };
    // A call that was not sent, or that the provider refused without reading it, is free and not counted.
    if (used.tokens > 0) spent = addSpent(spent, asSpent(usage ?? worstUsage, microUsd));
    await ledger.settle(callId, account, used);
  };
  return {
    knowing: (known) => {
      prefix = known;
    },
    takeSpent: () => {
      const taken = spent;
      spent = NOTHING_SPENT;
      return taken;
    },
    respond: async (request, signal) => {
      const worst = worstOf(request, prefix, priceOf(request));
      const callId = newCallId();
      const { tokens, microUsd, output } = worst;
      const purpose = { role, model: request.model };
      const amount = { tokens, microUsd, outputTokens: output };
      const reserved = await ledger.reserve({ callId, account, purpose, worst: amount });
      if (reserved.kind === 'refused') throw new BudgetRefusedError(reserved);
      const reply = await model.respond(request, signal).catch(async (error: unknown) => {
        const cost: FailureCost = error instanceof ModelError ? error.cost : { kind: 'unknown' };
        await settle(callId, usageOfFailure(cost, worst), worst);
        throw error instanceof ModelCallStoppedError ? error.cause : error;
      });
      await settle(callId, reply.usage, worst);
      return reply;
    },
  };
};
