/** Validates requests and responses against the API description, and reports differences. */
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import type { DescribedApi, Description } from './description.ts';

export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly requestBody: unknown;
  readonly status: number;
  readonly answer: unknown;
};

/** Returns problems as sentences; empty when everything is valid, or without an API description. */
export type Validator = (exchange: Exchange) => readonly string[];

type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Allows null for every property and item: Go pointers, slices and maps can be null unmarked (openapi/README.md). */
const nullable = (schema: unknown): unknown => ({ anyOf: [loosened(schema), { type: 'null' }] });

const loosened = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema;
  const { properties, items, additionalProperties, allOf, $ref, type, enum: values } = schema;
  if (typeof $ref === 'string') return { $ref };
  return {
    ...(type === undefined ? {} : { type }),
    // The zero value of a Go string, such as the state of a commit without statuses (Gitea services/convert/status.go).
    ...(Array.isArray(values) ? { enum: [...values, ''] } : {}),
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, nullable(value)])) }
      : {}),
    ...(isObject(items) ? { items: nullable(items) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: nullable(additionalProperties) } : {}),
    ...(Array.isArray(allOf) ? { allOf: allOf.map(loosened) } : {}),
  };
};

/** Rejects unknown fields: Go ignores them, but in a request they are mistakes. */
const closed = (schema: unknown): unknown =>
  isObject(schema) && isObject(schema['properties']) ? { ...schema, additionalProperties: false } : schema;

const definitionsOf = (document: Description, strict: boolean): Schema =>
  Object.fromEntries(
    Object.entries(document.definitions).map(([name, schema]) => [
      name,
      strict ? closed(loosened(schema)) : loosened(schema),
    ]),
  );

const Operation = z.looseObject({
  parameters: z.array(z.looseObject({ in: z.string(), schema: z.unknown().optional() })).optional(),
  responses: z.record(z.string(), z.unknown()).optional(),
});
type Operation = z.output<typeof Operation>;

const responseSchema = (document: Description, operation: Operation, status: number): unknown => {
  const responses = operation.responses ?? {};
  const direct = responses[String(status)] ?? responses['default'];
  if (!isObject(direct)) return null;
  const name = typeof direct['$ref'] === 'string' ? direct['$ref'].replace('#/responses/', '') : null;
  const resolved = name === null ? direct : document.responses[name];
  return isObject(resolved) ? (resolved['schema'] ?? {}) : null;
};

/** Go sends an empty slice that nothing was appended to as null, unmarked in the description. */
const isNullList = (schema: unknown, answer: unknown): boolean =>
  answer === null && isObject(schema) && schema['type'] === 'array';

type Compile = (key: string, schema: unknown) => ValidateFunction;

const compiler = (document: Description, strict: boolean): Compile => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'api', definitions: definitionsOf(document, strict) });
  const compiled = new Map<string, ValidateFunction>();
  return (key, schema) => {
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(loosened(schema)).replaceAll('"#/definitions/', '"api#/definitions/');
    const made = ajv.compile(z.record(z.string(), z.unknown()).parse(JSON.parse(text)));
    compiled.set(key, made);
    return made;
  };
};

const complaints = (what: string, check: ValidateFunction, value: unknown): readonly string[] => {
  if (check(value)) return [];
  // Every property may also be null, so each real error comes with two useless ones.
  const errors = (check.errors ?? []).filter((error) => error.keyword !== 'anyOf' && error.params['type'] !== 'null');
  return errors.map((error) => `${what}${error.instancePath} ${error.message ?? ''}`);
};

const createValidator = (api: DescribedApi): Validator => {
  if (!api.real) return () => [];
  const { document } = api;
  const forRequests = compiler(document, true);
  const forAnswers = compiler(document, false);
  return ({ method, path, requestBody, status, answer }) => {
    const where = `${method} ${path}`;
    const parsed = Operation.safeParse(document.paths[path]?.[method.toLowerCase()]);
    if (!parsed.success) return [`${where}: not in the API description`];
    const found: string[] = [];
    const body = parsed.data.parameters?.find((parameter) => parameter.in === 'body');
    if (requestBody !== undefined && body === undefined) found.push(`${where}: takes no body`);
    if (requestBody !== undefined && body !== undefined)
      found.push(...complaints(`${where}: request`, forRequests(where, body.schema), requestBody));
    // Errors of middleware (401, 403, 404, 5xx) are not described per route.
    if (status >= 300) return found;
    const schema = responseSchema(document, parsed.data, status);
    if (schema === null) found.push(`${where}: status ${status} is not described`);
    else if (answer !== undefined && !isNullList(schema, answer))
      found.push(...complaints(`${where}: answer ${status}`, forAnswers(`${where} ${status}`, schema), answer));
    return found;
  };
};

const kept = new WeakMap<DescribedApi, Validator>();

/** One validator per release, because compiling takes a second. */
export const validatorFor = (api: DescribedApi): Validator => {
  const validator = kept.get(api) ?? createValidator(api);
  kept.set(api, validator);
  return validator;
};
