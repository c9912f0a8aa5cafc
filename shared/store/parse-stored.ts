import type { z } from 'zod';

/** Null where nothing is stored, or a document of another version. */
export const parseStored = <T>(schema: z.ZodType<T>, text: string | null): T | null => {
  if (text === null) return null;
  const parsed = schema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
};
