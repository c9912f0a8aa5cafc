/**
 * Client of OpenAI-compatible chat completions. Each `respond` makes one request; the SDK handles no retries, budgets or
 * history. https://platform.openai.com/docs/api-reference/chat
 */
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import { _iterSSEMessages as readEvents } from 'openai/core/streaming';
import { type CallLimits, type CostSoFar, createCallLimits } from '../../model/call-limits.ts';
import { LEAST } from '../../model/capabilities.ts';
import type { Model, ModelReply, ModelRequest } from '../../model/model.ts';
import {
  type FailureCost,
  ModelBadAnswerError,
  ModelCallStoppedError,
  ModelError,
  ModelStreamCutError,
} from '../../model/model-errors.ts';
import type { ModelOptions } from '../../model/model-options.ts';
import { createClient } from './client.ts';
import { costBeforeAnswer } from '../../model/sdk-failure.ts';
import { failureInside, filteredAs, readErrorBody, refusedPrompt, requestFailure } from './errors.ts';
import { writeRequest } from './request.ts';
import { Completion } from './schema.ts';
import {
  addChunk,
  EMPTY_STREAM,
  replyOf,
  reportedUsage,
  type Sent,
  type StreamState,
  streamedTokens,
} from './stream.ts';

type Call = {
  readonly options: ModelOptions;
  readonly body: Readonly<Record<string, unknown>>;
  readonly sent: Sent;
  readonly limits: CallLimits;
};

/** Contract: same as `Model`, except that an abort by the caller throws `ModelCallStoppedError` with the cost. */
export const createOpenaiModel = (options: ModelOptions): Model => ({
  respond: async (request, signal) => {
    if (signal.aborted) throw new ModelCallStoppedError({ kind: 'nothing' }, signal.reason);
    const limits = createCallLimits(options, signal, costBeforeAnswer(options.stream));
    try {
      return await respond(callOf(request, options, limits));
    } catch (error) {
      if (signal.aborted) throw new ModelCallStoppedError(limits.stoppedCost(), signal.reason);
      throw limits.over() ?? error;
    } finally {
      limits.end();
    }
  },
});

const callOf = (request: ModelRequest, options: ModelOptions, limits: CallLimits): Call => {
  const capabilities = options.capabilities ?? LEAST;
  const body = writeRequest(request, { stream: options.stream, capabilities });
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const offered = request.tools.map(({ name }) => name);
  return { options, body, limits, sent: { bytes, offered, contextTokens: capabilities.contextTokens } };
};

const respond = async (call: Call): Promise<ModelReply> => {
  const { options, limits } = call;
  let said: string | null = null;
  const client = createClient(options, (body) => {
    said = body;
  });
  try {
    const response = await send(client.api, call).catch((error: unknown) => {
      throw limits.over() ?? requestFailure(error, { ...options, said });
    });
    return await readResponse(response, call);
  } catch (error) {
    const category = said === null ? null : filteredAs(readErrorBody(parseOr(said, null)));
    if (category === null) throw error;
    return refusedPrompt(category);
  } finally {
    await client.close();
  }
};

const parseOr = (json: string, other: null | undefined): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return other;
  }
};

const send = (api: ReturnType<typeof createClient>['api'], { body, limits }: Call): Promise<Response> =>
  api.chat.completions
    // The SDK's types do not describe fields of other servers.
    .create(body as unknown as ChatCompletionCreateParams, { signal: limits.signal })
    .asResponse();

/** A server may answer with one document although a stream was asked for. An HTML page from a proxy is an error. */
const readResponse = (response: Response, call: Call): Promise<ModelReply> => {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/html')) {
    const cost = costBeforeAnswer(call.options.stream);
    return Promise.reject(new ModelBadAnswerError('response', cost));
  }
  return call.options.stream && !type.includes('application/json')
    ? readStream(response, call)
    : readWhole(response, call);
};

const requestIdOf = (response: Response): string | null => response.headers.get('x-request-id');

const readWhole = async (response: Response, { limits, sent }: Call): Promise<ModelReply> => {
  limits.costs({ ended: { kind: 'unknown' }, silent: { kind: 'unknown' } });
  const text = await response.text().catch((error: unknown) => {
    throw limits.over() ?? new ModelStreamCutError({ kind: 'unknown' }, error);
  });
  const json = parseOr(text, undefined);
  const error = readErrorBody(json);
  if (error !== null) throw failureInside(error, { requestId: requestIdOf(response), cost: { kind: 'nothing' } });
  const parsed = Completion.safeParse(json);
  if (!parsed.success || parsed.data.choices.length === 0) {
    throw new ModelBadAnswerError('completion', { kind: 'unknown' }, parsed.error);
  }
  return replyOf(addChunk(EMPTY_STREAM, parsed.data), sent);
};

/** Before the first chunk, the server has done no more than read the request. Most servers report usage only at the end. */
const costSoFar = (state: StreamState): CostSoFar => {
  if (!state.begun) return { ended: { kind: 'input' }, silent: { kind: 'input' } };
  const output = streamedTokens(state);
  const usage = reportedUsage(state);
  if (usage === null) return { ended: { kind: 'unreported', output }, silent: { kind: 'unknown' } };
  const ended: FailureCost = { kind: 'streamed', usage: { ...usage, output: Math.max(usage.output, output) } };
  return { ended, silent: { kind: 'at_least', usage } };
};

/** An error before the first chunk is a refusal of the call, like an error status, and costs nothing. */
const costOfError = (state: StreamState): FailureCost => (state.begun ? costSoFar(state).ended : { kind: 'nothing' });

const readChunk = (data: string, state: StreamState, response: Response): StreamState => {
  const json = parseOr(data, undefined);
  const error = readErrorBody(json);
  if (error !== null) throw failureInside(error, { requestId: requestIdOf(response), cost: costOfError(state) });
  const parsed = Completion.safeParse(json);
  if (!parsed.success) throw new ModelBadAnswerError('chunk', costSoFar(state).ended, parsed.error);
  return addChunk(state, parsed.data);
};

/** Every byte restarts the idle limit, because servers keep a connection open with comments. */
const watched = (response: Response, alive: () => void): Response => {
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform: (bytes, controller) => {
      alive();
      controller.enqueue(bytes);
    },
  });
  return response.body === null ? response : new Response(response.body.pipeThrough(watch), response);
};

const readStream = async (response: Response, { limits, sent }: Call): Promise<ModelReply> => {
  let state = EMPTY_STREAM;
  limits.costs(costSoFar(state));
  try {
    for await (const { data } of readEvents(watched(response, limits.alive), limits.controller)) {
      if (data.startsWith('[DONE]')) break;
      if (data.trim() === '') continue;
      state = readChunk(data, state, response);
      limits.costs(costSoFar(state));
    }
  } catch (error) {
    if (error instanceof ModelError) throw error;
    const isStopped = limits.signal.aborted && limits.over() === null;
    // An answer with a finish reason is complete, whatever happens to the connection afterwards.
    if (state.finishReason !== null && !isStopped) return replyOf(state, sent);
    throw limits.over() ?? new ModelStreamCutError(costSoFar(state).ended, error);
  }
  if (state.finishReason === null) throw new ModelStreamCutError(costSoFar(state).ended);
  return replyOf(state, sent);
};
