/** Computes the maximum length of a conversation from the model's context window. */
import type { Agent } from '../../config/agent-settings.ts';
import { PRICES, priceOf } from './prices.ts';

/** Tokens of input and output together. Source: the provider's page about its models, at the date of `PRICES`. */
const CONTEXT_TOKENS: ReadonlyMap<string, number> = new Map([
  ['claude-fable-5-2', 1_000_000],
  ['claude-opus-5-5', 1_000_000],
  ['claude-sonnet-5-5', 1_000_000],
  ['claude-haiku-5-5', 1_000_000],
]);

/** Used for a model that is not in the table, if the operator has not set its size. */
export const DEFAULT_CONTEXT_TOKENS = 128_000;

/** The rest is for the turn that is in progress when the threshold is reached. */
const SHARE = 3 / 4;
const MIN_TOKENS = 1_000;

/**
 * Returns the number of input tokens at which the middle of a conversation is replaced by notes. This is the operator's
 * setting or, without one, three quarters of the smaller of two numbers: the input that fits into the window, and the
 * input up to which the model has its lower price.
 */
export const compactAtTokens = (
  { compactAtTokens: own, maxOutputTokens, price, ...roles }: Agent,
  role: 'reviewer' | 'explorer',
): number => {
  if (own !== null) return own;
  const { model, contextTokens } = roles[role];
  const context = contextTokens ?? CONTEXT_TOKENS.get(model) ?? DEFAULT_CONTEXT_TOKENS;
  const input = Math.max(context - maxOutputTokens, context / 2);
  const isOwnPrice = price.some((each) => each.model === model);
  const cheap = isOwnPrice ? null : (priceOf(PRICES, model)?.above?.inputTokens ?? null);
  return Math.max(MIN_TOKENS, Math.floor(Math.min(input, cheap ?? input) * SHARE));
};
