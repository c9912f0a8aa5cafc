/** Counts the cost of model calls in Redis, for all processes. Keys have the installation's hash tag, as in `keys.ts`. */
import type { Redis } from 'ioredis';
import { accountKeys } from '../agent/model/memory-ledger.ts';
import type { BudgetAccount, Amount, BudgetLedger, BudgetLimits, MeasuredAmount } from '../agent/model/budget.ts';
import { BudgetScope } from '../vocabulary/exceeded.ts';
import type { Spent } from '../vocabulary/spent.ts';
import {
  amountsOf,
  modelName,
  ownUse,
  packAmounts,
  RECORD,
  SPENDING_KEPT_DAYS,
  spendingField,
  spendingKey,
  UNKNOWN_MODEL,
  whole,
} from './spending/spending-record.ts';

/**
 * Counters are kept for a long time: a change request may be idle for weeks, and a day must have ended in every time
 * zone. The counter of a change request outlives the record of its spending, so that `seedBudget` never restores what
 * the record still contains.
 */
const KEEP_S: Readonly<Record<BudgetScope, number>> = {
  run: 30 * 24 * 3600,
  change_request: (SPENDING_KEPT_DAYS + 1) * 24 * 3600,
  project: 3 * 24 * 3600,
  day: 3 * 24 * 3600,
};

/**
 * KEYS: reservation, record of the day, then one counter per scope. ARGV: tokens, micro-dollars, seconds to keep the
 * reservation, field of the record, field for further projects, amounts for the record, then per scope: token limit,
 * micro-dollar limit, seconds to keep. Returns 0, or the scope and budget that refuse.
 */
const RESERVE = `${RECORD}
if redis.call('EXISTS', KEYS[1]) == 1 then return {0} end
local tokens, money = tonumber(ARGV[1]), tonumber(ARGV[2])
for i = 3, #KEYS do
  local at = 7 + (i - 3) * 3
  local used = redis.call('HMGET', KEYS[i], 'tokens', 'microUsd')
  local usedTokens, usedMoney = tonumber(used[1] or '0'), tonumber(used[2] or '0')
  if usedTokens + tokens > tonumber(ARGV[at]) then return {i - 2, 'tokens', tostring(usedTokens)} end
  if usedMoney + money > tonumber(ARGV[at + 1]) then return {i - 2, 'money', tostring(usedMoney)} end
end
local field = record(KEYS[2], ARGV[4], ARGV[5], 1, ARGV[6])
redis.call('HSET', KEYS[1], 'tokens', tokens, 'microUsd', money, 'settled', 0, 'field', field, 'amounts', ARGV[6])
redis.call('EXPIRE', KEYS[1], ARGV[3])
for i = 3, #KEYS do
  redis.call('HINCRBY', KEYS[i], 'tokens', tokens)
  redis.call('HINCRBY', KEYS[i], 'microUsd', money)
  redis.call('EXPIRE', KEYS[i], ARGV[9 + (i - 3) * 3])
end
return {0}`;

/**
 * KEYS as in RESERVE; ARGV: actual tokens and micro-dollars, amounts for the record, then a model and its amounts for
 * each other model. A reservation is settled once. An expired reservation stays spent in full.
 */
const SETTLE = `${RECORD}
local held = redis.call('HMGET', KEYS[1], 'tokens', 'microUsd', 'settled', 'field', 'amounts')
if not held[1] or held[3] == '1' then return 0 end
redis.call('HSET', KEYS[1], 'settled', 1)
for i = 3, #KEYS do
  redis.call('HINCRBY', KEYS[i], 'tokens', ARGV[1] - held[1])
  redis.call('HINCRBY', KEYS[i], 'microUsd', ARGV[2] - held[2])
end
local field = held[4]
if not field then return 1 end
record(KEYS[2], field, field, -1, held[5])
record(KEYS[2], field, field, 1, ARGV[3])
local start = string.match(field, '^[^|]*|[^|]*|[^|]*|')
for i = 4, #ARGV, 2 do record(KEYS[2], start .. ARGV[i], field, 1, ARGV[i + 1]) end
return 1`;

/**
 * KEYS: record of the day, then the counters of the change request, the project and the day. ARGV: tokens and
 * micro-dollars according to the forge, field of the record, field for further projects, calls, cached and output
 * tokens, then per counter the seconds to keep. The missing amount is added to all, because its date is unknown.
 */
const SEED = `${RECORD}
local used = redis.call('HMGET', KEYS[2], 'tokens', 'microUsd')
local tokens = math.max(0, tonumber(ARGV[1]) - tonumber(used[1] or '0'))
local money = math.max(0, tonumber(ARGV[2]) - tonumber(used[2] or '0'))
if tokens == 0 and money == 0 then return 0 end
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[i], 'tokens', tokens)
  redis.call('HINCRBY', KEYS[i], 'microUsd', money)
  redis.call('EXPIRE', KEYS[i], ARGV[6 + i])
end
local share = tokens / math.max(1, tonumber(ARGV[1]))
local calls = math.ceil(tonumber(ARGV[5]) * share)
local cached, output = math.floor(tonumber(ARGV[6]) * share), math.floor(tonumber(ARGV[7]) * share)
local parts = {}
for at, amount in ipairs({calls, tokens - output, cached, output, money}) do
  parts[at] = string.format('%.0f', amount)
end
record(KEYS[1], ARGV[3], ARGV[4], 1, table.concat(parts, ','))
return 1`;

const SEEDED = ['change_request', 'project', 'day'] as const;

type Seeding = { readonly prefix: string; readonly account: BudgetAccount; readonly spent: Spent };

/**
 * Restores counters after Redis was wiped. No counter is below the amounts in the change request's signed markers. What
 * was missing is recorded as restored.
 */
export const seedBudget = async (redis: Redis, { prefix, account, spent }: Seeding): Promise<void> => {
  const named = accountKeys(account);
  const { changeRequest, day } = account;
  const place = { ...changeRequest, role: 'restored', model: UNKNOWN_MODEL } as const;
  const keys = [spendingKey(prefix, day), ...SEEDED.map((scope) => `{${prefix}}:spent:${named[scope]}`)];
  await redis.eval(
    SEED,
    keys.length,
    ...keys,
    whole(spent.inputTokens + spent.outputTokens),
    // Markers have fractions of a dollar; rounding up their binary error would restore a micro-dollar that nobody spent.
    Math.max(0, Math.round(spent.costUsd * 1_000_000)),
    spendingField(place),
    spendingField({ ...place, projectId: 0 }),
    whole(spent.modelCalls),
    whole(spent.cachedTokens),
    whole(spent.outputTokens),
    ...SEEDED.map((scope) => KEEP_S[scope]),
  );
};

const SCOPES = BudgetScope.options;

export const createBudgetLedger = (
  redis: Redis,
  { prefix, limits }: { readonly prefix: string; readonly limits: BudgetLimits },
): BudgetLedger => {
  const counter = (key: string): string => `{${prefix}}:spent:${key}`;
  const keysOf = (callId: string, account: BudgetAccount): readonly string[] => {
    const keys = accountKeys(account);
    const record = spendingKey(prefix, account.day);
    return [`{${prefix}}:reserved:${callId}`, record, ...SCOPES.map((scope) => counter(keys[scope]))];
  };
  const perScope = SCOPES.flatMap((scope) => [limits[scope].tokens, limits[scope].microUsd, KEEP_S[scope]]);
  return {
    limits,
    reserve: async ({ callId, account, purpose, worst }) => {
      const keys = keysOf(callId, account);
      const place = { ...account.changeRequest, ...purpose };
      const fields = [spendingField(place), spendingField({ ...place, projectId: 0 }), packAmounts(amountsOf(worst))];
      const args = [whole(worst.tokens), whole(worst.microUsd), KEEP_S.run, ...fields, ...perScope];
      const answer = await redis.eval(RESERVE, keys.length, ...keys, ...args);
      return readAnswer(answer, limits);
    },
    settle: async (callId, account, used) => {
      const keys = keysOf(callId, account);
      const packed = (one: MeasuredAmount): string => packAmounts(amountsOf(one));
      const others = (used.otherModels ?? []).flatMap((other) => [modelName(other.model), packed(other)]);
      const amounts = [whole(used.tokens), whole(used.microUsd), packed(ownUse(used))];
      await redis.eval(SETTLE, keys.length, ...keys, ...amounts, ...others);
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
