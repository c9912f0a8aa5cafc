/**
 * Records the CLI's spending in the same ledger as Fixpoint's own calls. The CLI calls the model itself, so a
 * reservation for its next call is always held. A refused reservation stops the CLI. If the CLI is killed, its open
 * reservation stays spent.
 */
import type { Amount } from '../agent/model/budget.ts';
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

type Held = { readonly callId: string; readonly worst: Amount & { readonly input: number } };

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
  counted: Amount;
  spent: Spent;
};

const NOTHING: Amount = { tokens: 0, microUsd: 0 };

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
  const worst = { input, tokens: input + maxOutputTokens, microUsd };
  const callId = meter.newCallId();
  const reserved = await meter.ledger.reserve({ callId, account: meter.account, worst });
  if (reserved.kind === 'refused') throw new BudgetRefusedError(reserved);
  books.held = { callId, worst };
};

const settle = async (books: CliBooks, used: Amount): Promise<void> => {
  const { held, meter } = books;
  books.held = null;
  if (held !== null) await meter.ledger.settle(held.callId, meter.account, used);
  else if (used.tokens > 0 || used.microUsd > 0) {
    // The call was made without a reservation, so one is reserved and settled now to count the call.
    const callId = meter.newCallId();
    const reserved = await meter.ledger.reserve({ callId, account: meter.account, worst: used });
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
  books.call = null;
  await settle(books, { tokens, microUsd });
  books.counted = { tokens: books.counted.tokens + tokens, microUsd: books.counted.microUsd + microUsd };
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

/** Calls outside the conversation, for example to a smaller model, are reported only in the final totals. */
const settleRest = async (books: CliBooks, { totals }: CliResult): Promise<void> => {
  let rest: Amount = { tokens: -books.counted.tokens, microUsd: -books.counted.microUsd };
  for (const [name, total] of totals) {
    const tokens = totalTokens(usageOfTotal(total));
    rest = { tokens: rest.tokens + tokens, microUsd: rest.microUsd + costOfTotal(books, name, total) };
  }
  const used = { tokens: Math.max(0, rest.tokens), microUsd: Math.max(0, rest.microUsd) };
  await settle(books, used);
  const also = { ...NOTHING_SPENT, inputTokens: used.tokens, costUsd: used.microUsd / 1_000_000 };
  books.spent = addSpent(books.spent, also);
};

/** The CLI died during a call, so the real cost is unknown. */
const leaveSpent = (books: CliBooks, { worst }: Held): void => {
  const unknown = { modelCalls: 1, inputTokens: worst.input, outputTokens: books.maxOutputTokens };
  books.spent = addSpent(books.spent, { ...NOTHING_SPENT, ...unknown, costUsd: worst.microUsd / 1_000_000 });
};
