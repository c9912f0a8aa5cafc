import type { z } from 'zod';
import { type FieldPath, fieldName, type Problem } from './problem.ts';
import type { Places } from './read-yaml.ts';

export type Shaped<Value> =
  | { readonly kind: 'shaped'; readonly value: Value }
  | { readonly kind: 'misshapen'; readonly problems: readonly Problem[] };

export type ShapeInput<Value> = {
  readonly schema: z.ZodType<Value>;
  readonly value: unknown;
  readonly lineOf: Places['lineOf'];
};

/** Reports the first problem of each field. A field that is absent is reported as missing. */
export const checkShape = <Value>({ schema, value, lineOf }: ShapeInput<Value>): Shaped<Value> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'shaped', value: parsed.data };
  const problems = new Map<string, Problem>();
  for (const issue of parsed.error.issues) {
    for (const each of problemsOf(issue, value, lineOf)) problems.set(each.field, problems.get(each.field) ?? each);
  }
  return { kind: 'misshapen', problems: [...problems.values()] };
};

const problemsOf = (issue: z.core.$ZodIssue, value: unknown, lineOf: Places['lineOf']): readonly Problem[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => problem([...issue.path, key], 'is not a field of this document', lineOf));
  }
  const isMissing = valueAt(value, issue.path) === undefined;
  return [problem(issue.path, isMissing ? `is missing; ${issue.message}` : issue.message, lineOf)];
};

const problem = (path: FieldPath, message: string, lineOf: Places['lineOf']): Problem => ({
  field: fieldName(path),
  line: lineOf(path),
  message,
});

const valueAt = (value: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined,
    value,
  );
