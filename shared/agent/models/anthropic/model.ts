/**
 * Client of the Messages API. Each `respond` makes one request; the SDK handles no retries, budgets or history.
 * https://docs.anthropic.com/en/api/messages and …/messages-streaming
 */
import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { estimateTokens } from '../../model/estimate-tokens.ts';
import { inputTokens, type Model, type ModelReply, type ModelRequest } from '../../model/model.ts';
import {
  type FailureCost,
  ModelBadAnswerError,
  ModelCallStoppedError,
  ModelStreamCutError,
} from '../../model/model-errors.ts';
import { createOwnFetch } from '../../model/own-fetch.ts';
import { shallowReply } from '../../model/shallow-reply.ts';
import { readMessage, writeRequest } from './blocks.ts';
import { providerFailure } from '../../model/provider-failure.ts';
import { costBeforeAnswer } from '../../model/sdk-failure.ts';
import { requestFailure, streamFailure } from './errors.ts';
import { ErrorBody, Message, StreamEvent } from './schema.ts';
import { addEvent, EMPTY_STREAM, streamedUsage, streamReply, type StreamState, streamUsage } from './stream.ts';
import { createCallLimits, type CallLimits, type CostSoFar } from '../../model/call-limits.ts';
import type { ModelOptions } from '../../model/model-options.ts';

const createClient = ({ apiKey, baseUrl, callTimeoutMs, headers = {}, ca, proxy }: ModelOptions): Anthropic => {
  const own = createOwnFetch({ ca: ca ?? null, proxy: proxy ?? null });
  return new Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseUrl,
    defaultHeaders: headers,
    ...(own === null ? {} : { fetch: own.fetch }),
    maxRetries: 0,
    // `call-limits.ts` ends the call. This longer timeout only replaces the SDK's computed default.
    timeout: callTimeoutMs + 60_000,
    // Prompts and answers must not be logged.
    logLevel: 'off',
    // The key must not be sent to the target of a redirect.
    fetchOptions: { redirect: 'error' },
  });
};

/** Contract: same as `Model`, except that an abort by the caller throws `ModelCallStoppedError` with the cost. */
export const createAnthropicModel = (options: ModelOptions): Model => {
  const client = createClient(options);
  return {
    respond: async (request, signal) => {
      if (signal.aborted) throw new ModelCallStoppedError({ kind: 'nothing' }, signal.reason);
      const limits = createCallLimits(options, signal, costBeforeAnswer(options.stream));
      try {
        const response = await send(client, { request, options }, limits);
        const reply = options.stream ? await readStream(response, limits) : await readWhole(response, limits);
        return withCounts(reply, request);
      } catch (error) {
        if (signal.aborted) throw new ModelCallStoppedError(limits.stoppedCost(), signal.reason);
        throw limits.over() ?? error;
      } finally {
        limits.end();
      }
    },
  };
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** No request has 0 tokens: gateways that do not count report that. A refusal may cost nothing, and has no blocks. */
const withCounts = (reply: ModelReply, { system, tools, messages }: ModelRequest): ModelReply => {
  const { usage, blocks } = reply;
  if (inputTokens(usage) > 0 || blocks.length === 0) return reply;
  const uncachedInput = estimateTokens(bytesOf({ system, tools, messages }));
  const output = Math.max(usage.output, estimateTokens(bytesOf(shallowReply(reply).blocks)));
  return { ...reply, usage: { ...usage, uncachedInput, output }, isUsageEstimated: true };
};

type Call = { readonly request: ModelRequest; readonly options: ModelOptions };

const send = async (client: Anthropic, { request, options }: Call, limits: CallLimits): Promise<Response> => {
  const body = { ...writeRequest(request, { longCache: options.longCache }), stream: options.stream };
  try {
    // The SDK's types do not describe provider blocks that are sent back unchanged.
    const asked = client.messages.create(body as unknown as Anthropic.MessageCreateParams, { signal: limits.signal });
    return await asked.asResponse();
  } catch (error) {
    throw limits.over() ?? requestFailure(error, options);
  }
};

const readWhole = async (response: Response, limits: CallLimits): Promise<ModelReply> => {
  limits.costs({ ended: { kind: 'unknown' }, silent: { kind: 'unknown' } });
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

/** Before `message_start`, the provider has done no more than read the request. */
const costSoFar = (state: StreamState): CostSoFar => {
  const usage = streamUsage(state);
  if (usage === null) return { ended: { kind: 'input' }, silent: { kind: 'input' } };
  const { output } = streamedUsage(state, usage);
  if (inputTokens(usage) === 0) return { ended: { kind: 'unreported', output }, silent: { kind: 'unknown' } };
  return { ended: { kind: 'streamed', usage: streamedUsage(state, usage) }, silent: { kind: 'at_least', usage } };
};

/** An error event before `message_start` is a refusal of the call, like an error status, and costs nothing. */
const costOfErrorEvent = (state: StreamState): FailureCost =>
  streamUsage(state) === null ? { kind: 'nothing' } : costSoFar(state).ended;

type Sse = { readonly event: string | null; readonly data: string };

const parseData = (data: string, state: StreamState): unknown => {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw new ModelBadAnswerError('event', costSoFar(state).ended, error);
  }
};

const KNOWN_EVENTS: ReadonlySet<string> = new Set(StreamEvent.options.map(({ shape }) => shape.type.value));

/** Ignores unknown events, as the documentation asks. A known event with a wrong shape is a bad answer. */
const readEvent = ({ event, data }: Sse, state: StreamState, response: Response): StreamState => {
  if (event === 'error') {
    const body = ErrorBody.safeParse(parseData(data, state));
    const type = body.success ? (body.data.error.type ?? null) : null;
    const facts = { status: null, type, requestId: response.headers.get('request-id') };
    const words = body.success ? (body.data.error.message ?? '') : '';
    throw providerFailure({ facts, words, retryAfterMs: null, cost: costOfErrorEvent(state), cause: undefined });
  }
  if (event === null || !KNOWN_EVENTS.has(event)) return state;
  const parsed = StreamEvent.safeParse(parseData(data, state));
  if (!parsed.success) throw new ModelBadAnswerError(event, costSoFar(state).ended, parsed.error);
  return addEvent(state, parsed.data);
};

const readStream = async (response: Response, limits: CallLimits): Promise<ModelReply> => {
  let state = EMPTY_STREAM;
  limits.costs(costSoFar(state));
  const broken = (cause?: unknown): Error => limits.over() ?? streamFailure(cause, costSoFar(state).ended);
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
