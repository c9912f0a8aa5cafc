/**
 * Records the CLI's spending in the same ledger as Fixpoint's own calls. The CLI calls the model itself, so a
 * reservation for its next call is always held. A refused reservation stops the CLI. If the CLI is killed, its open
 * reservation stays spent.
 */
import type { CallPurpose, CallUse, MeasuredAmount } from '../agent/model/budget.ts';
import { BudgetRefusedError, type Meter } from '../agent/model/metered-model.ts';
import { inputTokens, type ModelUsage, totalTokens } from '../agent/model/model.ts';
import { costMicroUsd, worstCostMicroUsd } from '../agent/model/prices.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../vocabulary/spent.ts';
import { type CliEvent, type CliResult, type ModelTotal, type Usage, usageOf } from './events.ts';

/** The CLI compacts conversations that are longer. */
const WINDOW_TOKENS = 200_000;
/** Size of the CLI's own instructions and tools, and of the results that one turn may add. */
const OVERHEAD_TOKENS = 20_000;
const GROWTH_TOKENS = 60_000;

type Held = { readonly callId: string; readonly worst: MeasuredAmount & { readonly input: number } };

/** Spending of one review. `call`, `handedIn` and `counted` concern the current CLI run. */
export type CliBooks = {
  readonly meter: Meter;
  readonly model: string;
  readonly maxOutputTokens: number;
  /** True if a subscription pays: tokens and turns are limited, and money is not counted. */
  readonly subscription: boolean;
  held: Held | null;
  call: Usage | null;
  handedIn: boolean;
  counted: Measured;
  spent: Spent;
};

const NOTHING: Measured = { tokens: 0, microUsd: 0, outputTokens: 0, cachedTokens: 0 };

const FREE = { inputPerMTok: 0, outputPerMTok: 0, above: null, cache: { read: 0, write: 0, writeLong: 0 } };

type Books = Pick<CliBooks, 'meter' | 'model' | 'maxOutputTokens' | 'subscription'>;

export const openBooks = ({ meter, subscription, ...of }: Books): CliBooks => ({
  ...of,
  meter: subscription ? { ...meter, price: FREE } : meter,
  subscription,
  held: null,
  call: null,
  handedIn: false,
  counted: NOTHING,
  spent: subscription ? { ...NOTHING_SPENT, subscription: true } : NOTHING_SPENT,
});

/** Called before the CLI starts. `bytes` is the size of its input. @throws BudgetRefusedError */
export const beginSpending = async (books: CliBooks, bytes: number): Promise<void> => {
  Object.assign(books, { call: null, handedIn: false, counted: NOTHING });
  await reserve(books, bytes + OVERHEAD_TOKENS);
};

/** @throws BudgetRefusedError when the budget does not cover another call. */
export const hearSpending = async (books: CliBooks, event: CliEvent): Promise<void> => {
  switch (event.kind) {
    case 'call_began':
      Object.assign(books, { call: event.usage, handedIn: false });
      // The submitted answer did not match the schema, so the CLI calls the model again.
      if (books.held === null) await reserve(books, WINDOW_TOKENS);
      return;
    case 'call_counted':
      books.call = { ...books.call, ...event.usage };
      return;
    case 'handed_in':
      books.handedIn = true;
      return;
    case 'call_ended':
      return settleCall(books);
    case 'result':
      return;
    default:
      event satisfies never;
  }
};

/** Called after the CLI has ended. Without a result the reservation stays spent. */
export const endSpending = async (books: CliBooks, result: CliResult | null): Promise<void> => {
  if (result !== null) await settleRest(books, result);
  else if (books.held !== null) leaveSpent(books, books.held);
  books.held = null;
};

const reserve = async (books: CliBooks, bound: number): Promise<void> => {
  const { meter, maxOutputTokens } = books;
  const input = Math.min(WINDOW_TOKENS, bound);
  const microUsd = worstCostMicroUsd(meter.price, { inputTokens: input, outputTokens: maxOutputTokens });
  const worst = { input, tokens: input + maxOutputTokens, outputTokens: maxOutputTokens, microUsd };
  const callId = meter.newCallId();
  const purpose = purposeOf(books, books.model);
  const reserved = await meter.ledger.reserve({ callId, account: meter.account, purpose, worst });
  if (reserved.kind === 'refused') throw new BudgetRefusedError(reserved);
  books.held = { callId, worst };
};

const settle = async (books: CliBooks, used: CallUse): Promise<void> => {
  const { held, meter } = books;
  books.held = null;
  if (held !== null) await meter.ledger.settle(held.callId, meter.account, used);
  else if (used.tokens > 0 || used.microUsd > 0) {
    // The call was made without a reservation, so one is reserved and settled now to count the call.
    const callId = meter.newCallId();
    const purpose = purposeOf(books, books.model);
    const reserved = await meter.ledger.reserve({ callId, account: meter.account, purpose, worst: used });
    if (reserved.kind === 'refused') throw new BudgetRefusedError(reserved);
    await meter.ledger.settle(callId, meter.account, used);
  }
};

/** Settles one model call and reserves the next one, unless the answer was submitted. */
const settleCall = async (books: CliBooks): Promise<void> => {
  if (books.call === null) return;
  const usage = usageOf(books.call);
  const microUsd = costMicroUsd(books.meter.price, usage);
  const tokens = totalTokens(usage);
  const used = { tokens, microUsd, outputTokens: usage.output, cachedTokens: usage.cacheRead };
  books.call = null;
  await settle(books, used);
  books.counted = plus(books.counted, used);
  books.spent = addSpent(books.spent, {
    ...NOTHING_SPENT,
    turns: 1,
    modelCalls: 1,
    inputTokens: inputTokens(usage),
    outputTokens: usage.output,
    cachedTokens: usage.cacheRead,
    costUsd: microUsd / 1_000_000,
  });
  if (!books.handedIn) await reserve(books, tokens + GROWTH_TOKENS);
};

/** The money of a subscription is not counted, so its models have names of their own in the record of spending. */
const purposeOf = ({ meter, subscription }: CliBooks, model: string): CallPurpose => ({
  role: meter.role,
  model: subscription ? `subscription/${model}` : model,
});

type Measured = Required<MeasuredAmount>;

const combine = (one: Measured, other: Measured, how: (left: number, right: number) => number): Measured => ({
  tokens: how(one.tokens, other.tokens),
  microUsd: how(one.microUsd, other.microUsd),
  outputTokens: how(one.outputTokens, other.outputTokens),
  cachedTokens: how(one.cachedTokens, other.cachedTokens),
});

const plus = (one: Measured, other: Measured): Measured => combine(one, other, (left, right) => left + right);

const minus = (one: Measured, other: Measured): Measured =>
  combine(one, other, (left, right) => Math.max(0, left - right));

const usageOfTotal = ({ inputTokens: input, ...total }: ModelTotal): ModelUsage => ({
  uncachedInput: input,
  cacheWrite: total.cacheCreationInputTokens,
  cacheRead: total.cacheReadInputTokens,
  output: total.outputTokens,
  cacheWriteLong: 0,
});

/** The price of another model is not known here, so the CLI's own figure counts. A subscription costs nothing. */
const costOfTotal = ({ subscription, model, meter }: CliBooks, name: string, total: ModelTotal): number => {
  if (subscription) return 0;
  return name === model ? costMicroUsd(meter.price, usageOfTotal(total)) : Math.ceil(total.costUSD * 1_000_000);
};

const measured = (books: CliBooks, name: string, total: ModelTotal): Measured => {
  const usage = usageOfTotal(total);
  return {
    tokens: totalTokens(usage),
    microUsd: costOfTotal(books, name, total),
    outputTokens: usage.output,
    cachedTokens: usage.cacheRead,
  };
};

/** Calls outside the conversation, for example to a smaller model, are reported only in the final totals. */
const settleRest = async (books: CliBooks, { totals }: CliResult): Promise<void> => {
  let all = NOTHING;
  let own = NOTHING;
  const otherModels: (MeasuredAmount & { readonly model: string })[] = [];
  for (const [name, total] of totals) {
    const amount = measured(books, name, total);
    all = plus(all, amount);
    if (name === books.model) own = amount;
    else otherModels.push({ ...amount, model: purposeOf(books, name).model });
  }
  const rest = minus(all, books.counted);
  // Totals that do not contain the counted calls under the same name cannot be split by model.
  const { tokens, microUsd } = books.counted;
  const used = own.tokens >= tokens && own.microUsd >= microUsd ? { ...rest, otherModels } : rest;
  await settle(books, used);
  const also = { ...NOTHING_SPENT, inputTokens: rest.tokens, costUsd: rest.microUsd / 1_000_000 };
  books.spent = addSpent(books.spent, also);
};

/** The CLI died during a call, so the real cost is unknown. */
const leaveSpent = (books: CliBooks, { worst }: Held): void => {
  const unknown = { modelCalls: 1, inputTokens: worst.input, outputTokens: books.maxOutputTokens };
  books.spent = addSpent(books.spent, { ...NOTHING_SPENT, ...unknown, costUsd: worst.microUsd / 1_000_000 });
};
