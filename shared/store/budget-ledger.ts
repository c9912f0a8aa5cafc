/** Counts the cost of model calls in Redis, for all processes. Keys have the installation's hash tag, as in `keys.ts`. */
import type { Redis } from 'ioredis';
import { accountKeys } from '../agent/model/memory-ledger.ts';
import type { BudgetAccount, Amount, BudgetLedger, BudgetLimits } from '../agent/model/budget.ts';
import { BudgetScope } from '../vocabulary/exceeded.ts';
import type { Spent } from '../vocabulary/spent.ts';

/**
 * Counters are kept for a long time: a change request may be idle for weeks, and a day must have ended in every time
 * zone.
 */
const KEEP_S: Readonly<Record<BudgetScope, number>> = {
  run: 30 * 24 * 3600,
  change_request: 180 * 24 * 3600,
  project: 3 * 24 * 3600,
  day: 3 * 24 * 3600,
};

/**
 * KEYS: reservation, then one counter per scope. ARGV: tokens, micro-dollars, seconds to keep the reservation, then per
 * scope: token limit, micro-dollar limit, seconds to keep. Returns 0, or the scope and budget that refuse.
 */
const RESERVE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return {0} end
local tokens, money = tonumber(ARGV[1]), tonumber(ARGV[2])
for i = 2, #KEYS do
  local at = 4 + (i - 2) * 3
  local used = redis.call('HMGET', KEYS[i], 'tokens', 'microUsd')
  local usedTokens, usedMoney = tonumber(used[1] or '0'), tonumber(used[2] or '0')
  if usedTokens + tokens > tonumber(ARGV[at]) then return {i - 1, 'tokens', tostring(usedTokens)} end
  if usedMoney + money > tonumber(ARGV[at + 1]) then return {i - 1, 'money', tostring(usedMoney)} end
end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'microUsd', money, 'settled', 0)
redis.call('EXPIRE', KEYS[1], ARGV[3])
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[i], 'tokens', tokens)
  redis.call('HINCRBY', KEYS[i], 'microUsd', money)
  redis.call('EXPIRE', KEYS[i], ARGV[6 + (i - 2) * 3])
end
return {0}`;

/** KEYS as in RESERVE; ARGV: actual use. A reservation is settled once. An expired reservation stays spent in full. */
const SETTLE = `
local held = redis.call('HMGET', KEYS[1], 'tokens', 'microUsd', 'settled')
if not held[1] or held[3] == '1' then return 0 end
redis.call('HSET', KEYS[1], 'settled', 1)
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[i], 'tokens', ARGV[1] - held[1])
  redis.call('HINCRBY', KEYS[i], 'microUsd', ARGV[2] - held[2])
end
return 1`;

/**
 * KEYS: counters of the change request, the project and the day. ARGV: tokens and micro-dollars according to the forge,
 * then per counter the seconds to keep. The missing amount is added to all three, because its date is unknown.
 */
const SEED = `
local used = redis.call('HMGET', KEYS[1], 'tokens', 'microUsd')
local tokens = math.max(0, tonumber(ARGV[1]) - tonumber(used[1] or '0'))
local money = math.max(0, tonumber(ARGV[2]) - tonumber(used[2] or '0'))
if tokens == 0 and money == 0 then return 0 end
for i = 1, #KEYS do
  redis.call('HINCRBY', KEYS[i], 'tokens', tokens)
  redis.call('HINCRBY', KEYS[i], 'microUsd', money)
  redis.call('EXPIRE', KEYS[i], ARGV[2 + i])
end
return 1`;

const SEEDED = ['change_request', 'project', 'day'] as const;

/** Restores counters after Redis was wiped. No counter is below the amounts in the change request's signed markers. */
export const seedBudget = async (
  redis: Redis,
  { prefix, account, spent }: { readonly prefix: string; readonly account: BudgetAccount; readonly spent: Spent },
): Promise<void> => {
  const named = accountKeys(account);
  const keys = SEEDED.map((scope) => `{${prefix}}:spent:${named[scope]}`);
  const amounts = [whole(spent.inputTokens + spent.outputTokens), whole(spent.costUsd * 1_000_000)];
  await redis.eval(SEED, keys.length, ...keys, ...amounts, ...SEEDED.map((scope) => KEEP_S[scope]));
};

const SCOPES = BudgetScope.options;

/** Rounds up, because Redis counters take whole numbers only. */
const whole = (value: number): number => Math.max(0, Math.ceil(value));

export const createBudgetLedger = (
  redis: Redis,
  { prefix, limits }: { readonly prefix: string; readonly limits: BudgetLimits },
): BudgetLedger => {
  const counter = (key: string): string => `{${prefix}}:spent:${key}`;
  const keysOf = (callId: string, account: BudgetAccount): readonly string[] => {
    const keys = accountKeys(account);
    return [`{${prefix}}:reserved:${callId}`, ...SCOPES.map((scope) => counter(keys[scope]))];
  };
  const perScope = SCOPES.flatMap((scope) => [limits[scope].tokens, limits[scope].microUsd, KEEP_S[scope]]);
  return {
    limits,
    reserve: async ({ callId, account, worst }) => {
      const keys = keysOf(callId, account);
      const args = [whole(worst.tokens), whole(worst.microUsd), KEEP_S.run, ...perScope];
      const answer = await redis.eval(RESERVE, keys.length, ...keys, ...args);
      return readAnswer(answer, limits);
    },
    settle: async (callId, account, used) => {
      const keys = keysOf(callId, account);
      await redis.eval(SETTLE, keys.length, ...keys, whole(used.tokens), whole(used.microUsd));
    },
    spent: async (scope, account): Promise<Amount> => {
      const [tokens, microUsd] = await redis.hmget(counter(accountKeys(account)[scope]), 'tokens', 'microUsd');
      return { tokens: Number(tokens ?? 0), microUsd: Number(microUsd ?? 0) };
    },
  };
};

const readAnswer = (answer: unknown, limits: BudgetLimits): Awaited<ReturnType<BudgetLedger['reserve']>> => {
  const [index, budget, used] = Array.isArray(answer) ? answer : [];
  const scope = SCOPES[Number(index) - 1];
  if (scope === undefined) return { kind: 'reserved' };
  const isMoney = budget === 'money';
  const limit = isMoney ? limits[scope].microUsd : limits[scope].tokens;
  return { kind: 'refused', scope, budget: isMoney ? 'money' : 'tokens', limit, used: Number(used) };
};
