import type { Protect } from '../present-result.ts';

/** Redacts every string in the value. @throws what `protect` throws: unsearched text must not be shown. */
export const protectTexts = async <Value>(value: Value, protect: Protect, signal: AbortSignal): Promise<Value> =>
  // Only the contents of strings change, so the type stays the same.
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
