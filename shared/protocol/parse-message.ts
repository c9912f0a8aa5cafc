import { z } from 'zod';
import { BODIES, MessageType } from './bodies.ts';
import { checkShape, type Shaped } from './yaml/check-shape.ts';
import { AUTH_FIELD, OPTIONAL_FIELDS, REQUIRED_FIELDS, TELEMETRY_FIELDS } from './envelope.ts';
import { MESSAGES, type ReviewMessage } from './message.ts';
import { MAX_BODY_LENGTH } from './print-body.ts';
import type { Problem } from './yaml/problem.ts';
import { type Places, readYaml } from './yaml/read-yaml.ts';
import { textKeysOf } from './yaml/text-keys.ts';

export type MessageReading =
  | { readonly kind: 'message'; readonly message: ReviewMessage }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

const refused = (...problems: readonly Problem[]): MessageReading => ({ kind: 'refused', problems });

/** The schema for a message of unknown type, so that problems of its envelope are still reported. */
const AnyEnvelope = z.strictObject({
  ...REQUIRED_FIELDS,
  ...OPTIONAL_FIELDS,
  ...TELEMETRY_FIELDS,
  ...AUTH_FIELD,
  type: MessageType,
  body: z.unknown(),
});

const TEXT_KEYS = textKeysOf(AnyEnvelope, ...Object.values(BODIES));

/** Parses one message, or returns all its problems. The body may be a YAML literal block or a mapping. */
export const parseMessage = (text: string): MessageReading => {
  const yaml = readYaml({ text, textKeys: TEXT_KEYS });
  if (yaml.kind === 'refused') return yaml;
  const fields = withoutEmpty(yaml.value, OPTIONAL_NAMES);
  if (fields === null)
    return refused({ field: '', line: 1, message: 'is not a mapping; expected the fields of a message' });
  const type = MessageType.safeParse(fields['type']);
  if (!type.success) return withEnvelopeProblems(fields, yaml.places, []);
  const body = readBody(fields['body'], yaml.places);
  if (body.kind === 'refused') return withEnvelopeProblems(fields, yaml.places, body.problems);
  const optional = optionalNames(BODIES[type.data]);
  const value = { ...fields, body: withoutEmpty(body.value, optional) ?? body.value };
  const schema: z.ZodType<ReviewMessage> = MESSAGES[type.data];
  return asReading(checkShape({ schema, value, lineOf: body.lineOf }));
};

const OPTIONAL_NAMES: ReadonlySet<string> = new Set(
  Object.keys({ ...OPTIONAL_FIELDS, ...TELEMETRY_FIELDS, ...AUTH_FIELD }),
);

const optionalNames = (schema: z.ZodObject): ReadonlySet<string> =>
  new Set(Object.entries(schema.shape).flatMap(([name, field]) => (field instanceof z.ZodOptional ? [name] : [])));

/** Drops empty optional fields, which mean the same as absent fields. Returns null if `value` is not a mapping. */
const withoutEmpty = (value: unknown, optional: ReadonlySet<string>): Readonly<Record<string, unknown>> | null => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const isKept = ([name, field]: readonly [string, unknown]): boolean =>
    !optional.has(name) || (field !== null && field !== '');
  return Object.fromEntries(Object.entries(value).filter(isKept));
};

type BodyReading =
  | { readonly kind: 'read'; readonly value: unknown; readonly lineOf: Places['lineOf'] }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

const readBody = (body: unknown, places: Places): BodyReading => {
  if (typeof body !== 'string') return { kind: 'read', value: body, lineOf: places.lineOf };
  const line = places.lineOf(['body']);
  const problem = (message: string): BodyReading => ({ kind: 'refused', problems: [{ field: 'body', line, message }] });
  if (body.length > MAX_BODY_LENGTH) return problem(`is longer than ${MAX_BODY_LENGTH} characters`);
  const literalLine = places.literalLineOf(['body']);
  const yaml = readYaml({ text: body, textKeys: TEXT_KEYS, firstLine: literalLine ?? line ?? 1, within: ['body'] });
  if (yaml.kind === 'refused') return yaml;
  if (withoutEmpty(yaml.value, new Set()) === null) return problem('is not a mapping; expected the fields of the body');
  // The lines of a quoted or folded string do not correspond to lines of the file.
  const inside = literalLine === null ? () => line : yaml.places.lineOf;
  const lineOf: Places['lineOf'] = (path) =>
    path[0] === 'body' && path.length > 1 ? inside(path) : places.lineOf(path);
  return { kind: 'read', value: yaml.value, lineOf };
};

/** Reports the envelope's problems even if the type or body cannot be read. */
const withEnvelopeProblems = (value: object, { lineOf }: Places, problems: readonly Problem[]): MessageReading => {
  const envelope = checkShape({ schema: AnyEnvelope, value, lineOf });
  return refused(...(envelope.kind === 'misshapen' ? envelope.problems : []), ...problems);
};

const asReading = (shaped: Shaped<ReviewMessage>): MessageReading =>
  shaped.kind === 'misshapen' ? refused(...shaped.problems) : { kind: 'message', message: shaped.value };
