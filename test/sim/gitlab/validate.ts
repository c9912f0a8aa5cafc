/**
 * Validates requests against the API description: paths, parameter names, body types and enumerations. Responses are not
 * validated: the description does not mark nullable fields, and positions are untyped (openapi/README.md).
 */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import { sharedData } from '../../support/shared-data.ts';

export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  /** False for forms, which send all values as text. */
  readonly typed: boolean;
  readonly status: number;
};

export type Validator = (exchange: Exchange) => readonly string[];

const Operation = z.looseObject({
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.unknown() })) }).optional(),
});
const Description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

type Schema = Record<string, unknown>;
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Some types are unknown to JSON schema (`float`). A list may be sent as text with commas. */
const typeFor = (type: unknown): Schema => {
  if (type === 'array') return { type: ['array', 'string', 'null'] };
  return ['string', 'integer', 'number', 'boolean', 'object'].includes(String(type)) ? { type: [type, 'null'] } : {};
};

/** Rejects unknown fields: the forge ignores them, but in a request they are mistakes. Null counts as not sent. */
const closed = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema;
  const { type, properties, items, required, enum: values, $ref } = schema;
  if (typeof $ref === 'string') return {};
  if (!isObject(properties))
    return {
      ...typeFor(type),
      ...(values === undefined ? {} : { enum: [...z.array(z.unknown()).parse(values), null] }),
      ...(isObject(items) ? { items: {} } : {}),
    };
  const inner = Object.entries(properties).map(([name, value]) => [name, closed(value)] as const);
  return {
    type: ['object', 'null'],
    properties: Object.fromEntries(inner),
    additionalProperties: false,
    ...(required === undefined ? {} : { required }),
  };
};

// In lib/api, but missing in the generated description of 18.9 (forges.md 2.2, 3.4). Pages are accepted everywhere.
const undescribed = new Set(['publish_review', 'sha', 'signing_token', 'internal', 'page', 'per_page']);

const isRefused = (status: number): boolean => status >= 400;

const bodySchema = (operation: z.output<typeof Operation>): unknown =>
  operation.requestBody?.content['application/json']?.schema;

const createValidator = (file: string): Validator => {
  const { paths, components } = Description.parse(JSON.parse(readFileSync(file, 'utf8')));
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const compiled = new Map<string, ValidateFunction>();
  const check = (key: string, schema: unknown): ValidateFunction => {
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const ref = isObject(schema) && typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
    const target = ref === undefined ? schema : components.schemas[ref];
    const made = ajv.compile(z.record(z.string(), z.unknown()).parse(closed(target)));
    compiled.set(key, made);
    return made;
  };
  return ({ method, path, query, body, typed, status }) => {
    const where = `${method} ${path}`;
    const parsed = Operation.safeParse(paths[`/api/v4${path}`]?.[method.toLowerCase()]);
    if (!parsed.success) return [`${where}: not in the API description`];
    // Requests that the forge rejects are not validated.
    if (isRefused(status)) return [];
    const schema = bodySchema(parsed.data);
    const known = new Set([
      ...parsed.data.parameters.map((parameter) => parameter.name),
      ...(isObject(schema) && isObject(schema['properties']) ? Object.keys(schema['properties']) : []),
      ...undescribed,
    ]);
    const strange = query.filter((name) => !known.has(name.replace(/\[.*$/, '')) && !known.has(name));
    const found = strange.map((name) => `${where}: no parameter ${name}`);
    const sent = Object.fromEntries(Object.entries(body).filter(([name]) => !undescribed.has(name)));
    if (Object.keys(sent).length === 0) return found;
    if (schema === undefined) return [...found, `${where}: takes no body`];
    const validate = check(where, schema);
    if (!typed || validate(sent)) return found;
    // Parts of the body may be in the query.
    const errors = (validate.errors ?? []).filter((error) => error.keyword !== 'required');
    return [...found, ...errors.map((error) => `${where}: body${error.instancePath} ${error.message ?? ''}`)];
  };
};

let kept: Validator | null = null;

/** One validator for the process, because compiling is slow. Without the recorded description, nothing is validated. */
export const sharedValidator = (): Validator => {
  const file = sharedData('openapi', 'gitlab-18.9.0-pre.review-subset.openapi3.json');
  kept ??= file === null ? () => [] : createValidator(file);
  return kept;
};
