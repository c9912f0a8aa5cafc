/** `POST /chat/completions`: checks the rules, runs the script, sends the answer. */
import { deliverEvents, deliverJson, pause, stallUntilGone } from '../messages/deliver.ts';
import { recordUsage } from '../messages/log.ts';
import { parseRequest } from '../messages/parse-request.ts';
import { costUsd } from '../messages/prices.ts';
import type { CachePlan } from '../messages/prompt-cache.ts';
import type { Reply, Step } from '../messages/reply.ts';
import type { CreateRequest } from '../messages/request.ts';
import { countTokens, type Segment, segmentsOf } from '../messages/segments.ts';
import { asMessages } from './as-messages.ts';
import { type ChatCall, refuse, resetCall, sendRaw } from './call.ts';
import { compose } from './compose.ts';
import { ChatRequest } from './request.ts';
import { checkLength, checkRequest } from './rules.ts';
import { toFrames, toJson } from './wire.ts';
import type { ChatModel, ChatWorld } from './world.ts';

type Prepared = {
  readonly call: ChatCall;
  readonly request: ChatRequest;
  readonly asked: CreateRequest;
  readonly model: ChatModel;
  readonly tokens: number;
  readonly plan: CachePlan;
};

/** A server that caches by itself finds any prefix. */
const marked = (segments: readonly Segment[], { dialect }: ChatWorld): readonly Segment[] => {
  if (dialect.caches === 'marked') return segments;
  return segments.map((segment) => ({ ...segment, breakpoint: dialect.caches === 'automatic' ? '5m' : null }));
};

const notFound = (model: string) =>
  ({
    status: 404,
    type: 'not_found_error',
    message: `The model \`${model}\` does not exist.`,
    errorCode: 'model_not_found',
  }) as const;

export const completeChat = async (call: ChatCall): Promise<void> => {
  const { world, entry } = call;
  const parsed = parseRequest(ChatRequest, entry.body);
  if (parsed.kind === 'problem') return refuse(call, parsed.problem);
  const request = parsed.value;
  const problem = checkRequest(request, world.dialect);
  if (problem !== null) return refuse(call, problem);
  const asked = asMessages(request);
  const exchange = world.exchangeFor(asked);
  const { conversation, turn, call: count } = exchange;
  Object.assign(entry, { request: asked, conversation, turn, call: count });
  world.watch.notify();
  const model = world.models.find(({ id }) => id === request.model);
  if (model === undefined) return refuse(call, notFound(request.model));
  const segments = segmentsOf(asked);
  const tokens = countTokens(segments);
  const tooLong = checkLength(request, { tokens, contextTokens: model.contextTokens }, world.dialect);
  if (tooLong !== null) return refuse(call, tooLong);
  const plan = world.cache.plan(model, marked(segments, world));
  await carryOut({ call, request, asked, model, tokens, plan }, await nextStep(call, exchange));
};

const nextStep = async (
  { world }: ChatCall,
  exchange: Parameters<ChatWorld['scripts']['take']>[0],
): Promise<Step | string> => {
  try {
    const step = await world.scripts.take(exchange);
    if (step !== null) return step;
  } catch (error) {
    return `the script failed: ${error instanceof Error ? error.message : String(error)}`;
  }
  return `no script for turn ${exchange.turn} of conversation ${exchange.conversation}`;
};

const carryOut = async (prepared: Prepared, step: Step | string): Promise<void> => {
  const { call } = prepared;
  if (typeof step === 'string') {
    call.world.violations.push(step);
    return refuse(call, { status: 400, type: 'invalid_request_error', message: `simulator: ${step}` });
  }
  switch (step.kind) {
    case 'reply':
      return answer(prepared, step);
    case 'error':
      if (!(await pause(step.delayMs ?? 0, call.gone))) return call.finish('aborted');
      return refuse(call, step.problem);
    case 'raw':
      return sendRaw(call, step);
    case 'reset':
      return resetCall(call, step.when);
    case 'stall':
      return call.finish(await stallUntilGone(call.gone));
    default:
      return step satisfies never;
  }
};

const isParallel = ({ parallel_tool_calls: asked }: ChatRequest, { dialect }: ChatWorld): boolean => {
  if (dialect.parallel === 'only-if-asked') return asked === true;
  return dialect.parallel === 'ignored' || asked !== false;
};

/** From here on the request is billed, whatever happens to the answer. */
const answer = async ({ call, request, asked, model, tokens, plan }: Prepared, said: Reply): Promise<void> => {
  const { world, entry, response, gone } = call;
  const { dialect } = world;
  const transport = said.transport ?? {};
  if (!(await pause(transport.delayMs ?? 0, gone))) return call.finish('aborted');
  const read = Math.min(tokens, model.contextTokens);
  const cacheReadTokens = Math.min(plan.usage.cacheReadTokens, read);
  const composed = compose(said, {
    model: model.id,
    maxTokens: asked.max_tokens,
    room: Math.max(1, model.contextTokens - read),
    input: { inputTokens: read - cacheReadTokens, cacheReadTokens },
    parallel: isParallel(request, world),
    ids: world.ids,
    dialect,
  });
  plan.commit();
  recordUsage(entry, composed.usage, costUsd(model, composed.usage));
  entry.stopReason = composed.finishReason;
  const streams = request.stream === true && dialect.streams;
  call.begin(200, streams ? 'text/event-stream; charset=utf-8' : 'application/json');
  const delivery = { response, gone, transport };
  const frames = toFrames(composed, dialect, { usage: request.stream_options?.include_usage === true });
  call.finish(await (streams ? deliverEvents(frames, delivery) : deliverJson(toJson(composed, dialect), delivery)));
};
