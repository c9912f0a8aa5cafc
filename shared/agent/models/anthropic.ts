/**
 * The Messages API. One request per call of `respond`: retrying, budgets and history are ours, not the SDK's.
 * https://docs.anthropic.com/en/api/messages and …/messages-streaming
 */
import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import type { Model, ModelReply, ModelRequest } from '../model.ts';
import { type FailureCost, ModelBadAnswerError, ModelStreamCutError } from '../model-errors.ts';
import { readMessage, writeRequest } from './anthropic-blocks.ts';
import { failureOf, requestFailure, streamFailure } from './anthropic-errors.ts';
import { ErrorBody, Message, StreamEvent } from './anthropic-schema.ts';
import { addEvent, EMPTY_STREAM, streamReply, type StreamState, streamUsage } from './anthropic-stream.ts';
import { createCallLimits, type CallLimits } from './call-limits.ts';

export type AnthropicOptions = {
  readonly apiKey: string;
  /** Without a path behind the host as a rule; never taken from the environment. */
  readonly baseUrl: string;
  readonly stream: boolean;
  /** The longest silence within a stream, pings counted as life. */
  readonly idleTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Wall clock, for delays that are named as dates. */
  readonly nowMs: () => number;
};

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

const createClient = ({ apiKey, baseUrl, callTimeoutMs }: AnthropicOptions): Anthropic =>
  new Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseUrl,
    maxRetries: 0,
    // Our own limits end a call; this one only keeps the SDK from computing another.
    timeout: callTimeoutMs + 60_000,
    // Nothing of a prompt or an answer gets into a log.
    logLevel: 'off',
    // The key must not follow a redirect.
    fetchOptions: { redirect: 'error' },
  });

/** Contract: as `Model`. Every failure is classed; the signal's reason is thrown when the caller stopped the call. */
export const createAnthropicModel = (options: AnthropicOptions): Model => {
  const client = createClient(options);
  return {
    respond: async (request, signal) => {
      signal.throwIfAborted();
      const limits = createCallLimits(options, signal);
      try {
        const response = await send(client, { request, options }, limits);
        return options.stream ? await readStream(response, limits) : await readWhole(response, limits);
      } catch (error) {
        signal.throwIfAborted();
        throw limits.over() ?? error;
      } finally {
        limits.end();
      }
    },
  };
};

type Call = { readonly request: ModelRequest; readonly options: AnthropicOptions };

const send = async (client: Anthropic, { request, options }: Call, limits: CallLimits): Promise<Response> => {
  const body = { ...writeRequest(request), stream: options.stream };
  try {
    // The body is ours to shape: blocks of a provider are handed back as they came, which no type describes.
    const asked = client.messages.create(body as unknown as Anthropic.MessageCreateParams, { signal: limits.signal });
    return await asked.asResponse();
  } catch (error) {
    throw limits.over() ?? requestFailure(error, options.callTimeoutMs, options.nowMs());
  }
};

const readWhole = async (response: Response, limits: CallLimits): Promise<ModelReply> => {
  limits.costs({ kind: 'unknown' });
  let json: unknown;
  try {
    json = await response.json();
  } catch (error) {
    throw limits.over() ?? new ModelStreamCutError({ kind: 'unknown' }, error);
  }
  const parsed = Message.safeParse(json);
  if (!parsed.success) throw new ModelBadAnswerError('message', { kind: 'unknown' }, parsed.error);
  return readMessage(parsed.data);
};

const costSoFar = (state: StreamState): FailureCost => {
  const usage = streamUsage(state);
  return usage === null ? { kind: 'unknown' } : { kind: 'at_least', usage };
};

type Sse = { readonly event: string | null; readonly data: string };

const parseData = (data: string, state: StreamState): unknown => {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw new ModelBadAnswerError('event', costSoFar(state), error);
  }
};

const KNOWN_EVENTS: ReadonlySet<string> = new Set(StreamEvent.options.map(({ shape }) => shape.type.value));

/** Unknown events are passed over, as the documentation asks; a known one out of shape is a broken answer. */
const readEvent = ({ event, data }: Sse, state: StreamState, response: Response): StreamState => {
  if (event === 'error') {
    const body = ErrorBody.safeParse(parseData(data, state));
    const type = body.success ? (body.data.error.type ?? null) : null;
    const facts = { status: null, type, requestId: response.headers.get('request-id') };
    throw failureOf({ facts, retryAfterMs: null, cost: costSoFar(state), cause: undefined });
  }
  if (event === null || !KNOWN_EVENTS.has(event)) return state;
  const parsed = StreamEvent.safeParse(parseData(data, state));
  if (!parsed.success) throw new ModelBadAnswerError(event, costSoFar(state), parsed.error);
  return addEvent(state, parsed.data);
};

const readStream = async (response: Response, limits: CallLimits): Promise<ModelReply> => {
  let state = EMPTY_STREAM;
  limits.costs(costSoFar(state));
  const broken = (cause?: unknown): Error => limits.over() ?? streamFailure(cause, costSoFar(state));
  const events = Stream.rawEvents(response, limits.controller)[Symbol.asyncIterator]();
  for (;;) {
    const next = await events.next().catch((error: unknown) => {
      throw broken(error);
    });
    if (next.done === true) throw broken();
    limits.alive();
    state = readEvent(next.value, state, response);
    limits.costs(costSoFar(state));
    const reply = streamReply(state);
    if (reply === null) continue;
    await events.return?.(undefined);
    return reply;
  }
};
