/** One tool that a model can call. A wrong call is a failed result that the model reads, never an exception. */
import { z } from 'zod';
import type { ToolSchema } from './model/model.ts';
import type { KeptParts } from './submission/kept.ts';
import { adaptInput, type Habits } from './tool-habits.ts';
import type { ToolResult } from './tool-result.ts';

/** Contract: `execute` never writes to disk or network. Bad input is a result; it throws only on abort or machine failure. */
export type Tool = {
  readonly schema: ToolSchema;
  /** Timeout of one call. Default: `TOOL_LIMITS.callTimeoutMs`. */
  readonly timeoutMs?: number;
  readonly execute: (input: unknown, signal: AbortSignal, context?: ToolContext) => Promise<ToolResult>;
};

/** What a tool needs to know about its conversation. */
export type ToolContext = {
  /** The valid part of the last refused submission; null if there was none. */
  readonly kept: KeptParts | null;
};

type Definition<Input> = {
  readonly name: string;
  /** Must state the limits, so that the model can respect them. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Limit on the input as JSON text, checked before the schema. */
  readonly maxInputCharacters: number;
  readonly timeoutMs?: number;
  readonly habits?: Habits;
  readonly run: (input: Input, signal: AbortSignal) => Promise<ToolResult>;
};

export const failed = (text: string): ToolResult => ({ kind: 'failed', text });

export const inputText = (input: unknown, maxCharacters: number): string | null => {
  const text = JSON.stringify(input);
  return text === undefined || text.length > maxCharacters ? null : text;
};

/** These limits are checked or clamped when the tool is called, so the model need not know them. */
const LATER: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'additionalProperties',
]);

/** Keeps the schemas short, because every request pays for them. */
const shortSchemaOf = (input: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const key of Object.keys(jsonSchema)) if (LATER.has(key)) Reflect.deleteProperty(jsonSchema, key);
      // All elements of a tuple have the type of the first one.
      if (jsonSchema.prefixItems === undefined) return;
      const [first = {}] = jsonSchema.prefixItems;
      Reflect.deleteProperty(jsonSchema, 'prefixItems');
      jsonSchema.items = first;
    },
  });
  return schema;
};

/** Drops `$schema` to keep the schema small, because providers refuse requests with large schemas. */
export const schemaOf = (input: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
};

const describeIssues = (error: z.ZodError): string =>
  error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.length === 0 ? 'input' : path.map(String).join('.').slice(0, 100)}: ${message}`)
    .join('; ');

const MAX_IGNORED = 5;

/** An ignored field is named, because the model may believe that it had an effect. */
const withIgnored = (result: ToolResult, ignored: readonly string[]): ToolResult => {
  if (ignored.length === 0 || (result.kind !== 'text' && result.kind !== 'failed')) return result;
  const names = ignored.slice(0, MAX_IGNORED).map((name) => name.slice(0, 40));
  return { ...result, text: `${result.text}\n[ignored: ${names.join(', ')}]` };
};

const namesOf = (schema: Readonly<Record<string, unknown>>): readonly string[] => {
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
};

export const defineTool = <Input>(definition: Definition<Input>): Tool => {
  const { name, description, input: schema, maxInputCharacters, timeoutMs, habits, run } = definition;
  const inputSchema = shortSchemaOf(schema);
  const known = namesOf(inputSchema);
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    schema: { name, description, inputSchema },
    execute: async (input, signal) => {
      if (inputText(input, maxInputCharacters) === null) {
        return failed(`the input is longer than ${maxInputCharacters} characters`);
      }
      const { input: adapted, ignored } = adaptInput(input, known, habits);
      const parsed = schema.safeParse(adapted);
      if (!parsed.success) return failed(`bad input: ${describeIssues(parsed.error)}`);
      return withIgnored(await run(parsed.data, signal), ignored);
    },
  };
};
