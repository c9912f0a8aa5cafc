import type { z } from 'zod';

/** Undefined if the text is not JSON, so that `null` in the text stays a value. */
export const jsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses each entry alone; null as soon as one is malformed. */
export const parseAll = <Value>(schema: z.ZodType<Value>, given: readonly unknown[]): readonly Value[] | null => {
  const values: Value[] = [];
  for (const each of given) {
    const parsed = schema.safeParse(each);
    if (!parsed.success) return null;
    values.push(parsed.data);
  }
  return values;
};

export const MALFORMED = 'wrote a report with a malformed result';
