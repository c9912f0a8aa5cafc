/** Continues a conversation until it ends or waits for explorers. Every input is checkpointed before it is used. */
import type { Spent } from '../vocabulary/spent.ts';
import { answeringModel } from './answered-by.ts';
import { acceptedInTurn, buildRequest, SUBMIT_REVIEW, SUBMIT_VERIFICATION } from './build-request.ts';
import type { AgentClock } from './model/clock.ts';
import { type Conversation, isLastTurn } from './conversation.ts';
import { createFallbackModel, type FallbackModel } from './model/fallback-model.ts';
import { BudgetRefusedError, createMeteredModel, type Meter, type MeteredModel } from './model/metered-model.ts';
import type { Model, ModelUsage, ToolCallBlock } from './model/model.ts';
import { ModelError, ModelTooLongError } from './model/model-errors.ts';
import type { Outcome } from './outcome.ts';
import type { Present } from './present-result.ts';
import { createRetryingModel, type ModelRetryPolicy } from './model/retrying-model.ts';
import { shallowReply } from './model/shallow-reply.ts';
import { runCalls } from './run-tools.ts';
import { supersededWatch, wallWatch } from './stop-signals.ts';
import type { Tool } from './tool.ts';
import type { ConversationInput, Transcript } from './transcript.ts';
import { applyInput, conversationOf } from './turns.ts';

export type AgentEvent =
  | { readonly kind: 'replied'; readonly turn: number; readonly stopReason: string; readonly usage: ModelUsage }
  | { readonly kind: 'retrying'; readonly code: string; readonly delayMs: number }
  | { readonly kind: 'fell_back'; readonly from: string; readonly to: string; readonly code: string }
  | { readonly kind: 'tool_broke'; readonly tool: string; readonly error: unknown };

export type TurnsRun = {
  readonly transcript: Transcript;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly present: Present;
  readonly meter: Meter;
  readonly retry: ModelRetryPolicy;
  /** Active wall time of the whole run, including earlier executions. */
  readonly wallMs: number;
  readonly clock: AgentClock;
  /** Contract: resolves once the input is saved permanently. `index` is its position in the transcript. */
  readonly checkpoint: (input: ConversationInput, index: number) => Promise<void>;
  /** Contract: cheap, because it is called between turns and every few seconds within them. */
  readonly isSuperseded: () => Promise<boolean>;
  readonly supersededEveryMs: number;
  /** For logs and metrics. Contract: must not throw. Events carry no text of the conversation. */
  readonly observe: (event: AgentEvent) => void;
};

export type TurnsResult =
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly transcript: Transcript; readonly spent: Spent }
  /** The conversation waits for explorers or verifiers. */
  | { readonly kind: 'waits'; readonly transcript: Transcript }
  | { readonly kind: 'superseded' };

type Running = {
  readonly run: TurnsRun;
  readonly model: MeteredModel;
  /** The metered model with retries and fallbacks around it, so that every attempt reserves its own budget. */
  readonly patient: FallbackModel;
  readonly wall: ReturnType<typeof wallWatch>;
  readonly superseded: ReturnType<typeof supersededWatch>;
  readonly signal: AbortSignal;
};

/** @throws the signal's reason; a retryable `ModelError`, after which a later execution can continue; errors of `checkpoint`. */
export const runTurns = async (run: TurnsRun, signal: AbortSignal): Promise<TurnsResult> => {
  const conversation = conversationOf(run.transcript);
  const running = prepare(run, conversation, signal);
  try {
    return await advance(running, conversation);
  } catch (error) {
    signal.throwIfAborted();
    if (running.superseded.isTrue()) return { kind: 'superseded' };
    throw error;
  } finally {
    running.wall.end();
    running.superseded.end();
  }
};

const prepare = (run: TurnsRun, conversation: Conversation, signal: AbortSignal): Running => {
  const { clock, isSuperseded } = run;
  const wall = wallWatch(run.wallMs - conversation.spent.wallMs, clock);
  const superseded = supersededWatch({ isSuperseded, everyMs: run.supersededEveryMs, clock });
  const model = createMeteredModel(run.model, run.meter);
  const patient = createRetryingModel(model, {
    policy: run.retry,
    clock,
    leftMs: wall.leftMs,
    onRetry: ({ code }, delayMs) => run.observe({ kind: 'retrying', code, delayMs }),
  });
  const chain = [conversation.start.model, ...(run.meter.fallbacks ?? []).map(({ model: name }) => name)];
  const lasting = createFallbackModel(patient, {
    chain,
    onFallback: (from, to, { code }) => {
      // Models count tokens differently, so the count of one model does not apply to another.
      model.knowing(null);
      run.observe({ kind: 'fell_back', from, to, code });
    },
  });
  return {
    run,
    model,
    patient: lasting,
    wall,
    superseded,
    signal: AbortSignal.any([signal, wall.signal, superseded.signal]),
  };
};

const advance = async (running: Running, from: Conversation): Promise<TurnsResult> => {
  const { run } = running;
  let [transcript, conversation] = [run.transcript, from];
  while (conversation.phase.kind === 'model' || conversation.phase.kind === 'tools') {
    if (await run.isSuperseded()) return { kind: 'superseded' };
    const { input, error } = await nextInput(running, conversation, answeringModel(transcript));
    await run.checkpoint(input, transcript.inputs.length);
    if (error !== null) throw error;
    transcript = { ...transcript, inputs: [...transcript.inputs, input] };
    conversation = applyInput(conversation, input);
  }
  const { phase, spent } = conversation;
  if (phase.kind === 'ended') return { kind: 'ended', outcome: phase.outcome, transcript, spent };
  return { kind: 'waits', transcript };
};

/** If `error` is set, the run cannot continue now, and the input only records what was spent. */
type Next = { readonly input: ConversationInput; readonly error: ModelError | null };

const nextInput = async (running: Running, conversation: Conversation, from: string): Promise<Next> => {
  const { clock } = running.run;
  const startedMs = clock.nowMs();
  const spent = (): Spent => ({ ...running.model.takeSpent(), wallMs: Math.round(clock.nowMs() - startedMs) });
  try {
    running.signal.throwIfAborted();
    const { phase } = conversation;
    const got =
      phase.kind === 'tools'
        ? await carryOut(running, conversation, phase.calls)
        : await ask(running, conversation, from);
    return { input: { ...got, spent: { ...spent(), turns: got.kind === 'reply' ? 1 : 0 } }, error: null };
  } catch (error) {
    return explain(error, running, spent);
  }
};

type Got =
  | Omit<ConversationInput & { readonly kind: 'reply' }, 'spent'>
  | Omit<ConversationInput & { readonly kind: 'results' }, 'spent'>;

const SUBMITS: Readonly<Partial<Record<Conversation['start']['role'], string>>> = {
  reviewer: SUBMIT_REVIEW,
  verifier: SUBMIT_VERIFICATION,
};

/** In its last turn, a reviewer or verifier may only submit. If the server can force a tool, the request does so. */
const closing = (conversation: Conversation): { readonly mustCall?: string } => {
  const mustCall = SUBMITS[conversation.start.role];
  return mustCall !== undefined && isLastTurn(conversation) ? { mustCall } : {};
};

const ask = async (
  { run, model, patient, signal }: Running,
  conversation: Conversation,
  from: string,
): Promise<Got> => {
  const { start, known, turns } = conversation;
  model.knowing(known);
  const request = { ...buildRequest(conversation), ...closing(conversation) };
  const { reply, model: answered } = await patient.respond(request, from, signal);
  run.observe({ kind: 'replied', turn: turns + 1, stopReason: reply.stopReason, usage: reply.usage });
  return { kind: 'reply', reply: shallowReply(reply), ...(answered === start.model ? {} : { model: answered }) };
};

const carryOut = async (
  { run, signal }: Running,
  conversation: Conversation,
  calls: readonly ToolCallBlock[],
): Promise<Got> => {
  const { present } = run;
  const offered = new Set(conversation.start.tools.map(({ name }) => name));
  const tools = run.tools.filter(({ schema }) => offered.has(schema.name));
  const accepted = acceptedInTurn(conversation);
  const { boundary } = conversation.start;
  const onBroken = (tool: string, error: unknown): void => run.observe({ kind: 'tool_broke', tool, error });
  const context = { kept: conversation.kept };
  const results = await runCalls(calls, { tools, accepted, present, boundary, context, onBroken }, signal);
  return { kind: 'results', results: [...results] };
};

/** Turns errors that end the run permanently into inputs, so that the transcript records them. */
const explain = (error: unknown, { run, wall, superseded, signal }: Running, spent: () => Spent): Next => {
  const stopped = signal.aborted && !(error instanceof BudgetRefusedError) && !(error instanceof ModelError);
  if (stopped && wall.signal.aborted && !superseded.signal.aborted) {
    const exceeded = { budget: 'wall', scope: 'run', limit: run.wallMs } as const;
    return { input: { kind: 'exceeded', exceeded, spent: spent() }, error: null };
  }
  if (error instanceof BudgetRefusedError) {
    const { budget, scope, limit } = error.refusal;
    return { input: { kind: 'exceeded', exceeded: { budget, scope, limit }, spent: spent() }, error: null };
  }
  if (!(error instanceof ModelError)) throw error;
  if (error instanceof ModelTooLongError) return { input: { kind: 'too_long', spent: spent() }, error: null };
  // Waiting for an unavailable provider does not count as wall time of the run.
  if (error.retryable) return { input: { kind: 'interrupted', spent: { ...spent(), wallMs: 0 } }, error };
  return { input: { kind: 'model_failed', code: error.code, spent: spent() }, error: null };
};
