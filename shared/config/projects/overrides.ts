/** Derives the schema of a `[[project]]` section from the schemas of the whole configuration, so that a new setting needs no second schema. */
import { z } from 'zod';

/** Any part of a table, at any depth. A list is one value: a section replaces it as a whole. */
export type Overrides<Table> = {
  readonly [Key in keyof Table]?: Table[Key] extends readonly unknown[] | string | number | boolean | null
    ? Table[Key]
    : Overrides<Table[Key]>;
};

type Schema = z.core.$ZodType;

const withoutDefault = (schema: Schema): Schema =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? withoutDefault(schema.unwrap()) : schema;

const overridesIn = (schema: Schema): Schema => {
  const bare = withoutDefault(schema);
  if (!(bare instanceof z.ZodObject)) return bare;
  const shape: Readonly<Record<string, Schema>> = bare.shape;
  return z.strictObject(
    Object.fromEntries(Object.entries(shape).map(([key, child]) => [key, z.optional(overridesIn(child))])),
  );
};

/**
 * The schema in which every key of a table may be missing and has no default. Rules that compare several keys are left
 * out, because they hold for the merged settings.
 */
export const overridesOf = <Table extends z.ZodType>(schema: Table): z.ZodType<Overrides<z.output<Table>>> =>
  // The cast is safe because `overridesIn` only removes defaults and makes every key optional.
  overridesIn(schema) as z.ZodType<Overrides<z.output<Table>>>;
