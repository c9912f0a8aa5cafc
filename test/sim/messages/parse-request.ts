/** Parses a request, or returns the API's error message about its format. */
import type { z } from 'zod';
import { type ApiProblem, invalid } from './api-problem.ts';

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a valid string',
  number: 'a valid number',
  int: 'a valid integer',
  boolean: 'a valid boolean',
  array: 'a valid list',
  object: 'an object',
  record: 'a valid dictionary',
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      // Safe cast: any object may be indexed by any key.
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );

const quoted = (values: readonly unknown[]): string => {
  const words = values.map((value) => `'${String(value)}'`);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
};

const describe = (issue: z.core.$ZodIssue, body: unknown): string => {
  const place = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return `${[...issue.path, issue.keys[0]].join('.')}: Extra inputs are not permitted`;
  }
  if (valueAt(body, issue.path) === undefined) return `${place}: Field required`;
  if (issue.code === 'invalid_union') return describeUnion(issue, body);
  return `${place}: ${expectation(issue)}`;
};

const expectation = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_type')
    return `Input should be ${EXPECTED[issue.expected] ?? `a valid ${issue.expected}`}`;
  if (issue.code === 'invalid_value') return `Input should be ${quoted(issue.values)}`;
  if (issue.code === 'invalid_format') {
    // The library prints regular expressions with slashes.
    return `String should match pattern '${(issue.pattern ?? '').replaceAll(/^\/|\/$/g, '')}'`;
  }
  if (issue.code !== 'too_small') return issue.message;
  if (issue.origin === 'array') return 'at least one message is required';
  return `Input should be greater than or equal to ${issue.minimum}`;
};

/** Reports the union branch that matched furthest; for an unknown `type`, an error about the type. */
const describeUnion = (issue: z.core.$ZodIssueInvalidUnion, body: unknown): string => {
  const place = issue.path.join('.');
  const branches = issue.errors.flatMap((errors) => errors.slice(0, 1));
  const deepest = branches.toSorted((left, right) => right.path.length - left.path.length)[0];
  if (deepest === undefined) return `${place}: Input tag does not match any of the expected tags`;
  return describe({ ...deepest, path: [...issue.path, ...deepest.path] }, body);
};

export type Parsed<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'problem'; readonly problem: ApiProblem };

export const parseRequest = <Schema extends z.ZodType>(schema: Schema, text: string): Parsed<z.output<Schema>> => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'problem', problem: invalid(`The request body is not valid JSON: ${reason}`) };
  }
  const result = schema.safeParse(body);
  if (result.success) return { kind: 'value', value: result.data };
  const [first] = result.error.issues;
  return { kind: 'problem', problem: invalid(first === undefined ? 'invalid request' : describe(first, body)) };
};
