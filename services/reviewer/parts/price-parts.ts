/**
 * Estimates the cost of a part, and decides which parts fit a budget. All numbers are tokens and whole micro-dollars.
 */
import type { Amount } from '../../../shared/agent/model/budget.ts';
import { costMicroUsd, type ModelPrice, worstCostMicroUsd } from '../../../shared/agent/model/prices.ts';
import { MOST_PARTS } from '../../../shared/config/agent-settings.ts';
import type { PlannedPart } from './plan-parts.ts';

/** Annotated code: measured about 3.1 bytes per token. */
const BYTES_PER_TOKEN = 3;
/** Instructions, tools, guidelines, and the text around the diff. */
const FIXED_TOKENS = 4_000;
/** A reviewer usually looks things up in two turns and submits in the third. */
const TURNS = 3;
const LOOKED_UP_TOKENS = 4_000;
const ANSWER_TOKENS = 1_000;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * An estimate, not a limit. It assumes three turns, each of which reads the part's diff again, from the cache after the
 * first turn.
 */
export const estimatePart = ({ bytes }: Pick<PlannedPart, 'bytes'>, price: ModelPrice): Amount => {
  const opening = FIXED_TOKENS + Math.ceil(bytes / BYTES_PER_TOKEN);
  const inputs = Array.from({ length: TURNS }, (_, turn) => opening + turn * (LOOKED_UP_TOKENS + ANSWER_TOKENS));
  const written = inputs.at(-1) ?? 0;
  const output = TURNS * ANSWER_TOKENS;
  const microUsd = costMicroUsd(price, {
    uncachedInput: 0,
    cacheWrite: written,
    cacheWriteLong: 0,
    cacheRead: sum(inputs.slice(0, -1)),
    output,
  });
  return { tokens: sum(inputs) + output, microUsd };
};

/**
 * The amount that the budget reserves for the first call of a part: one token per byte, because the provider has not
 * counted any tokens yet.
 */
const firstReservation = (
  { bytes }: Pick<PlannedPart, 'bytes'>,
  { price, maxOutputTokens }: Pick<Fitting, 'price' | 'maxOutputTokens'>,
): Amount => {
  const longTokens = FIXED_TOKENS * BYTES_PER_TOKEN;
  const inputTokens = bytes + longTokens;
  const microUsd = worstCostMicroUsd(price, { inputTokens, outputTokens: maxOutputTokens, longTokens });
  return { tokens: inputTokens + maxOutputTokens, microUsd };
};

export type Fitting = {
  readonly price: ModelPrice;
  readonly maxOutputTokens: number;
  readonly maxParts: number;
  /** Number of parts that are reviewed at the same time. */
  readonly lanes: number;
  /** The amount that may still be spent. */
  readonly budget: Amount;
};

export type Unfit = 'max_parts' | 'tokens' | 'money';

export type Fit<Part> = {
  readonly chosen: readonly Part[];
  /** The parts that are left out, each with the limit that it exceeds. */
  readonly left: readonly { readonly part: Part; readonly why: Unfit }[];
  /** The amount that all parts together need, for comparison with the budget. */
  readonly needed: Amount;
};

const NOTHING: Amount = { tokens: 0, microUsd: 0 };

const plus = (one: Amount, other: Amount): Amount => ({
  tokens: one.tokens + other.tokens,
  microUsd: one.microUsd + other.microUsd,
});

/**
 * The amount needed to review these parts: their estimates, plus the part of the parallel reservations that exceeds the
 * estimates.
 */
const neededFor = (parts: readonly Pick<PlannedPart, 'bytes'>[], fitting: Fitting): Amount => {
  const estimates = parts.map((part) => estimatePart(part, fitting.price));
  const surplus = parts.map((part, index) => {
    const [estimate = NOTHING, reserved] = [estimates[index], firstReservation(part, fitting)];
    return {
      tokens: Math.max(0, reserved.tokens - estimate.tokens),
      microUsd: Math.max(0, reserved.microUsd - estimate.microUsd),
    };
  });
  const largest = (of: (amount: Amount) => number): number =>
    sum(
      surplus
        .map(of)
        .toSorted((one, two) => two - one)
        .slice(0, fitting.lanes),
    );
  const held = { tokens: largest(({ tokens }) => tokens), microUsd: largest(({ microUsd }) => microUsd) };
  return plus(estimates.reduce(plus, NOTHING), held);
};

const unfit = (needed: Amount, { budget }: Fitting): Unfit | null => {
  if (needed.tokens > budget.tokens) return 'tokens';
  return needed.microUsd > budget.microUsd ? 'money' : null;
};

/**
 * Takes the parts in order, as far as they fit. If a part does not fit, a later, smaller part may still be taken. It
 * never takes parts after the first `MOST_PARTS`.
 */
export const fitParts = <Part extends Pick<PlannedPart, 'bytes'>>(
  parts: readonly Part[],
  fitting: Fitting,
): Fit<Part> => {
  const chosen: Part[] = [];
  const left: { readonly part: Part; readonly why: Unfit }[] = [];
  for (const [at, part] of parts.entries()) {
    const isTooMany = at >= MOST_PARTS || chosen.length >= fitting.maxParts;
    const why = isTooMany ? 'max_parts' : unfit(neededFor([...chosen, part], fitting), fitting);
    if (why === null) chosen.push(part);
    else left.push({ part, why });
  }
  return { chosen, left, needed: neededFor(parts, fitting) };
};
