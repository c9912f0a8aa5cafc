/** `POST /v1/messages`: checks the rules, runs the script, sends the answer. */
import { type ApiProblem, invalid } from './api-problem.ts';
import type { Call } from './call.ts';
import { type Composed, compose } from './compose.ts';
import { type Delivery, type Outcome, deliverEvents, deliverJson, pause, stallUntilGone } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { recordUsage } from './log.ts';
import type { ModelFacts } from './models.ts';
import { parseRequest } from './parse-request.ts';
import { costUsd, totalInput } from './prices.ts';
import type { CachePlan } from './prompt-cache.ts';
import { type Reply, type Step, reply } from './reply.ts';
import { CreateRequest, type PromptRequest } from './request.ts';
import { checkMessages } from './rules-messages.ts';
import { checkModel } from './rules-model.ts';
import { checkTools } from './rules-tools.ts';
import { type Segment, countTokens, segmentsOf } from './segments.ts';
import { toFrames, toJson } from './wire.ts';
import { type World, pauseKey } from './world.ts';

export type Checked =
  | {
      readonly kind: 'prompt';
      readonly model: ModelFacts;
      readonly segments: readonly Segment[];
      readonly tokens: number;
    }
  | { readonly kind: 'problem'; readonly problem: ApiProblem };

/** Rules for both counting and creating. */
export const checkPrompt = (world: World, request: PromptRequest): Checked => {
  const model = world.models.find(({ id }) => id === request.model);
  if (model === undefined) {
    return { kind: 'problem', problem: { status: 404, type: 'not_found_error', message: `model: ${request.model}` } };
  }
  const problem =
    checkTools(request) ??
    checkMessages(request) ??
    checkModel(model, request, (turn) => world.paused.has(pauseKey(turn.blocks.map(({ block }) => block))));
  if (problem !== null) return { kind: 'problem', problem };
  const segments = segmentsOf(request);
  const tokens = countTokens(segments);
  if (tokens <= model.contextTokens) return { kind: 'prompt', model, segments, tokens };
  return { kind: 'problem', problem: invalid(`prompt is too long: ${tokens} tokens > ${model.contextTokens} maximum`) };
};

type Prepared = {
  readonly call: Call;
  readonly request: CreateRequest;
  readonly model: ModelFacts;
  readonly plan: CachePlan;
};

export const createMessage = async (call: Call): Promise<void> => {
  const { world, entry } = call;
  const parsed = parseRequest(CreateRequest, entry.body);
  if (parsed.kind === 'problem') return call.refuse(parsed.problem);
  const request = parsed.value;
  const exchange = world.exchangeFor(request);
  const { conversation, turn, call: count } = exchange;
  Object.assign(entry, { request, conversation, turn, call: count });
  world.watch.notify();
  const checked = checkPrompt(world, request);
  if (checked.kind === 'problem') return call.refuse(checked.problem);
  const plan = world.cache.plan(checked.model, checked.segments);
  const limited = world.limiter.admit(plan.usage);
  if (limited !== null) return call.refuse(limited);
  const prepared = { call, request, model: checked.model, plan };
  // Generates nothing and only fills the cache (documented at `max_tokens`).
  if (request.max_tokens === 0) return answer(prepared, reply([], { stopReason: 'max_tokens' }));
  await carryOut(prepared, await nextStep(world, exchange));
};

const nextStep = async (world: World, exchange: Exchange): Promise<Step | string> => {
  try {
    const step = await world.scripts.take(exchange);
    if (step !== null) return step;
  } catch (error) {
    return `the script failed: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { conversation, turn, request, firstUserText } = exchange;
  const opening = JSON.stringify(firstUserText.slice(0, 80));
  return `no script for turn ${turn} of conversation ${conversation} with ${request.model}, which begins ${opening}`;
};

const carryOut = async (prepared: Prepared, step: Step | string): Promise<void> => {
  const { call } = prepared;
  if (typeof step === 'string') return call.unscripted(step);
  switch (step.kind) {
    case 'reply':
      return answer(prepared, step);
    case 'error':
      if (!(await pause(step.delayMs ?? 0, call.gone))) return call.finish('aborted');
      return call.refuse(step.problem);
    case 'raw':
      return call.sendRaw(step);
    case 'reset':
      return call.reset(step.when);
    case 'stall':
      return call.finish(await stallUntilGone(call.gone));
    default:
      return step satisfies never;
  }
};

/** From here on the request is billed, whatever happens to the answer. */
const answer = async ({ call, request, model, plan }: Prepared, said: Reply): Promise<void> => {
  const { world, entry, response, gone } = call;
  const transport = said.transport ?? {};
  if (!(await pause(transport.delayMs ?? 0, gone))) return call.finish('aborted');
  const promptTokens = totalInput({ ...plan.usage, outputTokens: 0, thinkingTokens: 0 });
  const composed = compose(said, { model, request, input: plan.usage, promptTokens, ids: world.ids });
  plan.commit();
  world.limiter.addOutput(composed.usage.outputTokens);
  recordUsage(entry, composed.usage, costUsd(model, composed.usage));
  entry.stopReason = composed.stopReason;
  if (composed.stopReason === 'pause_turn') world.paused.add(pauseKey(composed.blocks.map(({ block }) => block)));
  call.begin(200, request.stream === true ? 'text/event-stream; charset=utf-8' : 'application/json');
  call.finish(await send(composed, request, { response, gone, transport }));
};

const send = (composed: Composed, request: CreateRequest, delivery: Delivery): Promise<Outcome> =>
  request.stream === true ? deliverEvents(toFrames(composed), delivery) : deliverJson(toJson(composed), delivery);
