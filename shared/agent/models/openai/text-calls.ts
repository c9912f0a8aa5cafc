/**
 * What a server without a parser for its model leaves in the text: reasoning between tags, and calls as text. A call is
 * taken only if the whole text consists of calls of offered tools, so that a quotation in prose is never executed.
 */
import { z } from 'zod';

const OPEN = '<think>';
const CLOSE = '</think>';

/** Removes reasoning at the beginning. Some chat templates write the opening tag into the prompt, so it can be absent. */
export const withoutThinking = (text: string): string => {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf(CLOSE);
  if (trimmed.startsWith(OPEN)) return end < 0 ? '' : trimmed.slice(end + CLOSE.length).trimStart();
  return end >= 0 && !trimmed.slice(0, end).includes(OPEN) && end + CLOSE.length < trimmed.length
    ? trimmed.slice(end + CLOSE.length).trimStart()
    : text;
};

const Call = z.union([
  z.object({ name: z.string(), arguments: z.unknown() }).refine((call) => call.arguments !== undefined),
  z
    .object({ name: z.string(), parameters: z.unknown() })
    .refine((call) => call.parameters !== undefined)
    .transform(({ name, parameters }) => ({ name, arguments: parameters })),
]);

export type TextCall = { readonly name: string; readonly input: unknown };

const MAX_CALLS = 64;

/** Tags of Hermes and Qwen models, the prefix of Mistral models, and the bare object of Llama models. */
const TAG = '<tool_call>';
const END_TAG = '</tool_call>';
const PREFIX = '[TOOL_CALLS]';

const taggedParts = (text: string): readonly string[] | null => {
  const parts: string[] = [];
  for (let rest = text; rest !== ''; ) {
    if (!rest.startsWith(TAG) || parts.length >= MAX_CALLS) return null;
    const end = rest.indexOf(END_TAG);
    parts.push(rest.slice(TAG.length, end < 0 ? undefined : end));
    rest = end < 0 ? '' : rest.slice(end + END_TAG.length).trimStart();
  }
  return parts;
};

const partsOf = (text: string): readonly string[] | null => {
  if (text.startsWith(TAG)) return taggedParts(text);
  if (text.startsWith(PREFIX)) return [text.slice(PREFIX.length)];
  return text.startsWith('{') || text.startsWith('[') ? [text] : null;
};

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
};

const inputOf = (value: unknown): unknown => (typeof value === 'string' ? (parse(value) ?? value) : value);

/** The calls that the text consists of; null if it contains anything else. */
export const callsInText = (text: string, offered: readonly string[]): readonly TextCall[] | null => {
  const parts = partsOf(text.trim());
  if (parts === null) return null;
  const values = parts.flatMap((part) => {
    const value = parse(part.trim());
    return Array.isArray(value) ? value : [value];
  });
  const calls = z.array(Call).min(1).max(MAX_CALLS).safeParse(values);
  if (!calls.success || calls.data.some(({ name }) => !offered.includes(name))) return null;
  return calls.data.map((call) => ({ name: call.name, input: inputOf(call.arguments) }));
};
