/** Lists settings from the schema, for messages and the conventions test. */
import { z } from 'zod';
import { toSnakeCase } from './key-case.ts';

type Schema = z.core.$ZodType;

function unwrap(schema: Schema): Schema {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional
  ) {
    return unwrap(schema.unwrap());
  }
  return schema;
}

function childrenOf(schema: Schema): readonly [string, Schema][] {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodDiscriminatedUnion) return [...new Map(bare.options.flatMap(childrenOf))];
  return bare instanceof z.ZodObject ? Object.entries<Schema>(bare.shape) : [];
}

function step(schema: Schema, part: PropertyKey): Schema | null {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodArray) return typeof part === 'number' ? bare.element : null;
  return childrenOf(bare).find(([key]) => key === part)?.[1] ?? null;
}

export function keysAt(schema: Schema, path: readonly PropertyKey[]): readonly string[] {
  let here: Schema | null = schema;
  for (const part of path) {
    if (here === null) return [];
    here = step(here, part);
  }
  return here === null ? [] : childrenOf(here).map(([key]) => toSnakeCase(key));
}

/** Lists every setting as `review.quiet_seconds` or `forge[].base_url`, in schema order. */
export function listSettings(schema: Schema, prefix = ''): readonly string[] {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodArray && childrenOf(bare.element).length > 0) {
    return listSettings(bare.element, `${prefix}[]`);
  }
  const children = childrenOf(bare);
  if (children.length === 0) return [prefix];
  const join = prefix === '' ? '' : `${prefix}.`;
  return children.flatMap(([key, child]) => listSettings(child, `${join}${toSnakeCase(key)}`));
}
