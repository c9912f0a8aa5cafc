import { z } from 'zod';
import { BudgetScope } from '../../vocabulary/exceeded.ts';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import type { SpendingRole } from '../../vocabulary/spending-role.ts';
import type { Message, ModelRequest } from './model.ts';

/** `tokens` counts input and output together. `microUsd` is an integer. */
export type Amount = { readonly tokens: number; readonly microUsd: number };

/** `outputTokens` and `cachedTokens` are parts of `tokens`. Without them, all tokens count as input that was not cached. */
export type MeasuredAmount = Amount & { readonly outputTokens?: number; readonly cachedTokens?: number };

/** `otherModels`: parts of the amount that other models used in the same call. */
export type CallUse = MeasuredAmount & {
  readonly otherModels?: readonly (MeasuredAmount & { readonly model: string })[];
};

export const Limit = z.object({ tokens: z.number().int().positive(), microUsd: z.number().int().positive() });
export type Limit = z.output<typeof Limit>;

export const BudgetLimits = z.record(BudgetScope, Limit);
export type BudgetLimits = z.output<typeof BudgetLimits>;

export type BudgetRefusal = {
  readonly scope: BudgetScope;
  readonly budget: 'tokens' | 'money';
  readonly limit: number;
  readonly used: number;
};

/** The counters that a call is charged to. `day` is `YYYY-MM-DD` in UTC, from the caller's clock. */
export type BudgetAccount = { readonly runId: string; readonly changeRequest: ChangeRequest; readonly day: string };

/** What the record of spending says about a call. */
export type CallPurpose = { readonly role: SpendingRole; readonly model: string };

export type ReserveRequest = {
  /** Unique per call and attempt. A repeated id reserves nothing more. */
  readonly callId: string;
  readonly account: BudgetAccount;
  readonly purpose: CallPurpose;
  readonly worst: MeasuredAmount;
};

/**
 * Contract: `reserve` is atomic over all four scopes: it takes the whole amount from each or nothing from any. `settle` replaces
 * the reservation with the actual usage, once. If the process dies before that, the reservation stays spent. Counters survive a
 * restart.
 */
export type BudgetLedger = {
  readonly limits: BudgetLimits;
  reserve(
    request: ReserveRequest,
  ): Promise<{ readonly kind: 'reserved' } | ({ readonly kind: 'refused' } & BudgetRefusal)>;
  settle(callId: string, account: BudgetAccount, used: CallUse): Promise<void>;
  spent(scope: BudgetScope, account: BudgetAccount): Promise<Amount>;
};

/** The first limit that the amount would exceed; null when it fits. Reaching a limit exactly is allowed. */
export const whichLimitBreaks = (
  used: Readonly<Record<BudgetScope, Amount>>,
  add: Amount,
  limits: BudgetLimits,
): BudgetRefusal | null => {
  for (const scope of BudgetScope.options) {
    const [limit, have] = [limits[scope], used[scope]];
    if (have.tokens + add.tokens > limit.tokens) {
      return { scope, budget: 'tokens', limit: limit.tokens, used: have.tokens };
    }
    if (have.microUsd + add.microUsd > limit.microUsd) {
      return { scope, budget: 'money', limit: limit.microUsd, used: have.microUsd };
    }
  }
  return null;
};

/** Generous estimate of the tokens that a provider adds around a request and each message: roles, tool preamble. */
const OVERHEAD_TOKENS = 1500;
const MESSAGE_TOKENS = 32;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

export const messageBound = (messages: readonly Message[]): number =>
  messages.reduce((sum, { blocks }) => sum + bytesOf(blocks) + MESSAGE_TOKENS, 0);

/** Tokens that the provider counted for the first `messages` messages of the same conversation, replies included. */
export type KnownPrefix = { readonly messages: number; readonly tokens: number };

/** Upper bound on a request's input tokens: a token covers at least one byte. `known` tightens it after the first call. */
export const inputBound = (request: ModelRequest, known: KnownPrefix | null): number => {
  if (known !== null && known.messages <= request.messages.length) {
    return known.tokens + messageBound(request.messages.slice(known.messages)) + MESSAGE_TOKENS;
  }
  const fixed = bytesOf(request.system) + bytesOf(request.tools) + OVERHEAD_TOKENS;
  return fixed + messageBound(request.messages);
};

/** Upper bound on the tokens that a request asks to cache for an hour. */
export const longBound = ({ system, tools, messages }: ModelRequest): number => {
  const blocks = [...system, ...messages.flatMap((message): readonly unknown[] => message.blocks)];
  const last = blocks.findLastIndex(isLong);
  return last < 0 ? 0 : bytesOf(tools) + bytesOf(blocks.slice(0, last + 1)) + OVERHEAD_TOKENS;
};

const isLong = (block: unknown): boolean =>
  typeof block === 'object' && block !== null && 'cache' in block && block.cache === 'long';

/** Maximum number of model calls in one run, not counting retries: every turn, every correction and the final fallback call. */
export const maxModelCalls = (limits: { readonly maxTurns: number; readonly maxCorrections: number }): number =>
  limits.maxTurns + limits.maxCorrections + 1;
