/** Coerces parameters like Grape: JSON, forms and queries may send numbers and flags as text. */
import { z } from 'zod';

const blankIsNull = (value: unknown): unknown => (value === '' ? null : value);

export const integer = z.preprocess(
  (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
  z.number().int(),
);
export const optionalInteger = z.preprocess(
  (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : blankIsNull(value)),
  z.number().int().nullish(),
);
export const flag = z.preprocess((value) => {
  if (value === 'true' || value === '1' || value === 1) return true;
  if (value === 'false' || value === '0' || value === 0) return false;
  return value;
}, z.boolean());
export const text = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string());
export const optionalText = text.nullish();

export const list = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').filter((item) => item !== '') : value),
  z.array(text),
);
export const idList = z.preprocess((value) => {
  if (typeof value === 'string') return value === '' ? [] : value.split(',');
  return typeof value === 'number' ? [value] : value;
}, z.array(integer));

const nested = (target: Record<string, unknown>, keys: readonly string[], value: unknown): void => {
  const [first = '', ...rest] = keys;
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  if (rest[0] === '') {
    const known = target[first];
    target[first] = [...(Array.isArray(known) ? known : []), value];
    return;
  }
  const inner = target[first];
  const next: Record<string, unknown> =
    // Safe cast: only this function creates these objects.
    typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  target[first] = next;
  nested(next, rest, value);
};

/** Expands `position[line_range][start][type]=new` and `labels[]=a` like Rack. */
export const unfold = (pairs: Iterable<readonly [string, unknown]>): Record<string, unknown> => {
  const found: Record<string, unknown> = {};
  for (const [name, value] of pairs) nested(found, name.replaceAll(']', '').split('['), value);
  return found;
};
