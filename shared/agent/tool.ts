/** One thing that a model can ask for. Every way of asking wrongly is a result that the model reads and can learn from. */
import { z } from 'zod';
import type { ToolSchema } from './model/model.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * Contract: `execute` never writes to the disk or the network. It gives a value for every bad input and every refusal;
 * it throws only the signal's reason, or when the machine itself fails.
 */
export type Tool = {
  readonly schema: ToolSchema;
  /** How long one call may take; absent: as long as `TOOL_LIMITS` says for every tool. */
  readonly timeoutMs?: number;
  readonly execute: (input: unknown, signal: AbortSignal) => Promise<ToolResult>;
};

type Definition<Input> = {
  readonly name: string;
  /** States the limits: a model keeps to what it knows. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Of the input as JSON; checked before anything else looks at it. */
  readonly maxInputCharacters: number;
  readonly timeoutMs?: number;
  readonly run: (input: Input, signal: AbortSignal) => Promise<ToolResult>;
};

export const failed = (text: string): ToolResult => ({ kind: 'failed', text });

/** JSON text of an input; null when it has none or is longer than the cap. */
export const inputText = (input: unknown, maxCharacters: number): string | null => {
  const text = JSON.stringify(input);
  return text === undefined || text.length > maxCharacters ? null : text;
};

/** Without `$schema`, as small as it gets: large schemas make providers refuse the request. */
export const schemaOf = (input: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
};

const describeIssues = (error: z.ZodError): string =>
  error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.length === 0 ? 'input' : path.map(String).join('.').slice(0, 100)}: ${message}`)
    .join('; ');

/** Models write null for what they leave out. */
const withoutNulls = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    : input;

export const defineTool = <Input>(definition: Definition<Input>): Tool => {
  const { name, description, input: schema, maxInputCharacters, timeoutMs, run } = definition;
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    schema: { name, description, inputSchema: schemaOf(schema) },
    execute: async (input, signal) => {
      if (inputText(input, maxInputCharacters) === null) {
        return failed(`the input is longer than ${maxInputCharacters} characters`);
      }
      const parsed = schema.safeParse(withoutNulls(input));
      return parsed.success ? run(parsed.data, signal) : failed(`bad input: ${describeIssues(parsed.error)}`);
    },
  };
};
