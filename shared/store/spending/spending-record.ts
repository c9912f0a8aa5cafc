/**
 * The record of what model calls cost, in Redis: one hash per day (UTC), with one field per forge, project, role and
 * model. The scripts of the budget ledger write it together with the budgets, so that each call is counted once.
 */
import { z } from 'zod';
import type { CallUse, MeasuredAmount } from '../../agent/model/budget.ts';
import { SpendingRole } from '../../vocabulary/spending-role.ts';

export const SPENDING_KEPT_DAYS = 400;
export const SPENDING_KEEP_S = SPENDING_KEPT_DAYS * 24 * 3600;

/** `restored`: read back from signed markers, so that neither the day, the model nor the role is known. */
export const RecordedRole = z.enum([...SpendingRole.options, 'restored']);
export type RecordedRole = z.output<typeof RecordedRole>;

/** `projectId` 0 stands for further projects of the forge, on a day on which the hash was full. */
export type SpendingPlace = {
  readonly forge: string;
  readonly projectId: number;
  readonly role: RecordedRole;
  /** As in the configuration, such as `house/coder`. */
  readonly model: string;
};

export const UNKNOWN_MODEL = 'unknown';

/** A day has at most this many fields, plus one per forge, role and model for everything else. */
export const MAX_FIELDS = 10_000;
const MAX_MODEL = 100;

export const spendingKey = (prefix: string, day: string): string => `{${prefix}}:spending:${day}`;

/** The name of a model as a field contains it. */
export const modelName = (model: string): string => model.slice(0, MAX_MODEL);

export const spendingField = ({ forge, projectId, role, model }: SpendingPlace): string =>
  `${forge}|${projectId}|${role}|${modelName(model)}`;

const Place = z.object({
  forge: z.string(),
  projectId: z.coerce.number().int().nonnegative(),
  role: RecordedRole,
  model: z.string(),
});

/** Returns null for a field that this version did not write. */
export const parseSpendingField = (field: string): SpendingPlace | null => {
  const [forge, projectId, role, ...model] = field.split('|');
  const parsed = Place.safeParse({ forge, projectId, role, model: model.join('|') });
  return parsed.success ? parsed.data : null;
};

/** `inputTokens` includes `cachedTokens`, the input that the provider read from its cache. */
export type SpendingAmounts = {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly microUsd: number;
};

const Whole = z.coerce.number().int().nonnegative();
const Packed = z.tuple([Whole, Whole, Whole, Whole, Whole]);

export const packAmounts = (amounts: SpendingAmounts): string =>
  [amounts.calls, amounts.inputTokens, amounts.cachedTokens, amounts.outputTokens, amounts.microUsd].join(',');

export const unpackAmounts = (packed: string): SpendingAmounts | null => {
  const parsed = Packed.safeParse(packed.split(','));
  if (!parsed.success) return null;
  const [calls, inputTokens, cachedTokens, outputTokens, microUsd] = parsed.data;
  return { calls, inputTokens, cachedTokens, outputTokens, microUsd };
};

/** Rounds up, because Redis counters take whole numbers only. */
export const whole = (value: number): number => Math.max(0, Math.ceil(value));

/** A call that used no tokens was not sent or was refused unread, so it is not counted. */
export const amountsOf = (used: MeasuredAmount): SpendingAmounts => {
  const tokens = whole(used.tokens);
  const outputTokens = Math.min(tokens, whole(used.outputTokens ?? 0));
  const inputTokens = tokens - outputTokens;
  const cachedTokens = Math.min(inputTokens, whole(used.cachedTokens ?? 0));
  return { calls: tokens > 0 ? 1 : 0, inputTokens, cachedTokens, outputTokens, microUsd: whole(used.microUsd) };
};

/** What the model of the reservation used itself. */
export const ownUse = ({ otherModels = [], ...used }: CallUse): MeasuredAmount =>
  otherModels.reduce<MeasuredAmount>(
    (own, other) => ({
      tokens: own.tokens - other.tokens,
      microUsd: own.microUsd - other.microUsd,
      outputTokens: (own.outputTokens ?? 0) - (other.outputTokens ?? 0),
      cachedTokens: (own.cachedTokens ?? 0) - (other.cachedTokens ?? 0),
    }),
    used,
  );

/**
 * Lua. `record(key, field, fallback, sign, packed)` adds or subtracts amounts, and returns the field that it changed:
 * `fallback` if `field` is new and the day is full.
 */
export const RECORD = `
local function record(key, field, fallback, sign, packed)
  local known = redis.call('HGET', key, field)
  if not known and redis.call('HLEN', key) >= ${MAX_FIELDS} then
    field = fallback
    known = redis.call('HGET', key, field)
  end
  local old = {}
  for part in string.gmatch(known or '', '[^,]+') do old[#old + 1] = tonumber(part) end
  local sums, at = {}, 0
  for part in string.gmatch(packed, '[^,]+') do
    at = at + 1
    sums[at] = string.format('%.0f', math.max(0, (old[at] or 0) + sign * tonumber(part)))
  end
  redis.call('HSET', key, field, table.concat(sums, ','))
  redis.call('EXPIRE', key, ${SPENDING_KEEP_S})
  return field
end
`;
