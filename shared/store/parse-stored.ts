import type { z } from 'zod';

/** Returns null when nothing is stored, or when the document has another version. */
export const parseStored = <T>(schema: z.ZodType<T>, text: string | null): T | null => {
  if (text === null) return null;
  const parsed = schema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
};
