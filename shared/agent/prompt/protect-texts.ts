import type { Protect } from '../present-result.ts';

/**
 * The same value with every text in it put through `protect`: titles, comments, paths and code alike, so that no field
 * can be forgotten. Names of fields stay.
 *
 * @throws what `protect` throws: a text that could not be looked at must not be shown.
 */
export const protectTexts = async <Value>(value: Value, protect: Protect, signal: AbortSignal): Promise<Value> =>
  // The walk keeps the shape and the type of everything; only the contents of strings differ.
  (await walk(value, protect, signal)) as Value;

const walk = async (value: unknown, protect: Protect, signal: AbortSignal): Promise<unknown> => {
  if (typeof value === 'string') return value === '' ? value : protect(value, signal);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await walk(item, protect, signal));
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) entries.push([key, await walk(inner, protect, signal)]);
  return Object.fromEntries(entries);
};
