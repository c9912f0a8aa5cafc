import { z } from 'zod';

type Kinds = Map<string, Set<'text' | 'other'>>;

const note = (kinds: Kinds, key: string, kind: 'text' | 'other'): void => {
  kinds.set(key, (kinds.get(key) ?? new Set()).add(kind));
};

/** `key`: the name of the nearest field around the schema, which the entries of a list share. */
const walk = (schema: unknown, key: string | null, kinds: Kinds): void => {
  if (schema instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(schema.shape)) walk(field, name, kinds);
  } else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) walk(schema.unwrap(), key, kinds);
  else if (schema instanceof z.ZodArray) walk(schema.element, key, kinds);
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) walk(option, key, kinds);
  else if (schema instanceof z.ZodPipe) walk(schema.out, key, kinds);
  else if (key !== null && schema instanceof z.ZodString) note(kinds, key, 'text');
  else if (key !== null && (schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean)) note(kinds, key, 'other');
};

/**
 * Names of the fields whose values are text. In YAML a branch `1234` or an expected result `false` that is not quoted is a
 * number or a flag, but its author meant text. A name that also belongs to a number or a flag is left out.
 */
export const textKeysOf = (...schemas: readonly z.ZodType[]): ReadonlySet<string> => {
  const kinds: Kinds = new Map();
  for (const schema of schemas) walk(schema, null, kinds);
  return new Set([...kinds].flatMap(([key, found]) => (found.has('other') ? [] : [key])));
};
