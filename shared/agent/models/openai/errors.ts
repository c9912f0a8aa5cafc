/** Translates errors of the SDK and of compatible servers, whose error bodies have many shapes. */
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { z } from 'zod';
import type { ModelReply } from '../../model/model.ts';
import type { FailureCost, ModelError } from '../../model/model-errors.ts';
import { providerFailure, retryAfter } from '../../model/provider-failure.ts';
import { costOfStatus, sdkFailure, type SdkCall } from '../../model/sdk-failure.ts';

const Word = z.union([z.string(), z.number()]).nullish().catch(null);

const Details = z.object({
  message: z.string().nullish().catch(null),
  type: Word,
  code: Word,
  /** OpenRouter: the categories of a refused prompt. */
  metadata: z
    .object({ reasons: z.array(z.string()).nullish().catch(null) })
    .nullish()
    .catch(null),
});
type Details = z.output<typeof Details>;

/** `{error: {…}}` of most servers, `{error: "…"}` of Ollama, `{detail: "…"}` of FastAPI, and the bare object of older vLLM. */
const ErrorBody = z.union([
  z.object({ error: Details }).transform(({ error }) => error),
  z
    .object({ error: z.string() })
    .transform(({ error }) => ({ message: error, type: null, code: null, metadata: null })),
  z
    .object({ detail: z.string() })
    .transform(({ detail }) => ({ message: detail, type: null, code: null, metadata: null })),
  Details.extend({ object: z.literal('error') }),
]);

export const readErrorBody = (body: unknown): Details | null => {
  // Gemini wraps its errors in a list.
  const parsed = ErrorBody.safeParse(Array.isArray(body) ? body[0] : body);
  return parsed.success ? parsed.data : null;
};

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return { detail: text };
  }
};

const isName = (word: Details['code']): word is string => typeof word === 'string' && /[a-z]/i.test(word);

/** The code is more specific than the type, which often only repeats the class of the status. */
const typeOf = ({ type, code }: Details): string | null => {
  if (isName(code)) return code;
  return isName(type) ? type : null;
};

/** A status that a server reports in the body of an answer that began with status 200. */
const statusIn = ({ code }: Details): number | null => {
  const status = Number(code ?? Number.NaN);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
};

type Placed = { readonly requestId: string | null; readonly cost: FailureCost; readonly retryAfterMs?: number | null };

/** The failure of an error that came inside an answer with status 200. */
export const failureInside = (details: Details, { requestId, cost, retryAfterMs = null }: Placed): ModelError =>
  providerFailure({
    facts: { status: statusIn(details), type: typeOf(details), requestId },
    words: details.message ?? '',
    retryAfterMs,
    cost,
    cause: undefined,
  });

const FILTERED: ReadonlySet<string> = new Set(['content_filter', 'content_policy_violation', 'moderation_blocked']);

/** The category of a prompt that the server refused for its content; null for any other error. */
export const filteredAs = (details: Details | null): string | null => {
  if (details === null) return null;
  const type = typeOf(details);
  if (type !== null && FILTERED.has(type)) return type;
  const reasons = details.metadata?.reasons ?? [];
  return reasons.length > 0 ? 'moderation' : null;
};

/** The server refused the prompt before a model saw it. */
export const refusedPrompt = (category: string): ModelReply => ({
  stopReason: 'refusal',
  refusalCategory: category,
  blocks: [],
  usage: { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0, output: 0 },
});

type Heard = {
  readonly nowMs: () => number;
  /** Body of the error response; null if none came. */
  readonly said: string | null;
};

const statusFailure = (error: APIError, { said, nowMs }: Heard, sent: FailureCost): ModelError => {
  const { status, requestID, headers } = error;
  const details = readErrorBody(parseText(said ?? ''));
  const type = details === null ? null : typeOf(details);
  const facts = { status: status ?? null, type, requestId: requestID ?? null };
  return providerFailure({
    facts,
    words: details?.message ?? '',
    retryAfterMs: retryAfter(headers, nowMs()),
    cost: costOfStatus(facts, sent),
    cause: error,
  });
};

const CLASSES = {
  timeout: APIConnectionTimeoutError,
  abort: APIUserAbortError,
  connection: APIConnectionError,
  api: APIError,
};

/** Classifies a failure before the first byte of the answer. Contract: the SDK threw `error`, and nobody aborted the call. */
export const requestFailure = (error: unknown, heard: SdkCall & Heard): ModelError =>
  sdkFailure<APIError>(error, heard, {
    ...CLASSES,
    answered: (answered, sent) => statusFailure(answered, heard, sent),
  });
