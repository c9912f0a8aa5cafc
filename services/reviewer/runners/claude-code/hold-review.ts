/** The conversation with the CLI: ask, read what was handed in, let it be put right, and stop at a bound. */
import type { Refusal } from '../../../../shared/agent/budget.ts';
import {
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelUnavailableError,
} from '../../../../shared/agent/model-errors.ts';
import { appendNotes } from '../../../../shared/agent/notes.ts';
import type { Outcome } from '../../../../shared/agent/outcome.ts';
import type { Tool } from '../../../../shared/agent/tool.ts';
import type { ToolResult } from '../../../../shared/agent/tool-result.ts';
import type { ExceededBudget } from '../../../../shared/rounds/exceeded.ts';
import type { CliResult } from './events.ts';
import type { CliCall, CliSession } from './invocation.ts';
import { type CliEnd, type CliRun, runCli } from './run-cli.ts';
import { correctionPrompt, LAST_CALL } from './say.ts';

export type Holding = {
  readonly run: CliRun;
  readonly call: Omit<CliCall, 'session' | 'maxTurns' | 'mayRead'>;
  readonly session: CliSession;
  readonly opening: string;
  /** Reads and judges what is handed in, as for every other model. */
  readonly submit: Tool;
  readonly maxTurns: number;
  readonly maxCorrections: number;
  /** Active time of all calls. */
  readonly wallMs: number;
};

export type Held =
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly notes: string }
  | { readonly kind: 'superseded' }
  /** The earlier conversation cannot be gone on with. */
  | { readonly kind: 'session_lost' };

type Question = {
  readonly prompt: string;
  readonly session: CliSession;
  readonly maxTurns: number;
  readonly mayRead: boolean;
};

/** A correction may look something up first; the last call may hand in twice, since the CLI checks the shape itself. */
const CORRECTION_TURNS = 3;
const LAST_TURNS = 2;

/** The most calls of the model that one review can make. */
export const maxCliTurns = ({ maxTurns, maxCorrections }: Pick<Holding, 'maxTurns' | 'maxCorrections'>): number =>
  maxTurns + maxCorrections * CORRECTION_TURNS + (maxCorrections + 1) * LAST_TURNS;

export const holdReview = async (holding: Holding, signal: AbortSignal): Promise<Held> => {
  const endsAtMs = holding.run.clock.nowMs() + holding.wallMs;
  const goOn = { id: holding.session.id, resumes: true } as const;
  let question: Question = {
    prompt: holding.opening,
    session: holding.session,
    maxTurns: holding.maxTurns,
    mayRead: true,
  };
  // Every question but the first is a correction or the last call, so this ends.
  for (let corrections = 0; ; ) {
    const end = await ask(holding, { question, leftMs: endsAtMs - holding.run.clock.nowMs() }, signal);
    if (end.kind !== 'result') return ended(holding, end, question);
    const { result } = end;
    if (result.subtype === 'error_max_turns') {
      const exceeded = { budget: 'turns', scope: 'run', limit: holding.maxTurns } as const;
      if (!question.mayRead) return over(exceeded);
      question = { prompt: LAST_CALL, session: goOn, maxTurns: LAST_TURNS, mayRead: false };
      continue;
    }
    const failure = failureOf(result, holding);
    if (failure !== null) return closed(failure);
    const read = await holding.submit.execute(result.answer, signal);
    if (read.kind !== 'refused') return { kind: 'ended', outcome: taken(read), notes: notesIn(result.answer) };
    if (corrections >= holding.maxCorrections)
      return { kind: 'ended', outcome: givenUp(read), notes: notesIn(result.answer) };
    corrections += 1;
    question = { prompt: correctionPrompt(read.problems), session: goOn, maxTurns: CORRECTION_TURNS, mayRead: true };
  }
};

type Asked = { readonly question: Question; readonly leftMs: number };

const ask = async ({ run, call }: Holding, { question, leftMs }: Asked, signal: AbortSignal): Promise<CliEnd> => {
  if (leftMs <= 0) return { kind: 'timed_out' };
  const { prompt, session, maxTurns, mayRead } = question;
  return runCli(run, { call: { ...call, session, maxTurns, mayRead }, prompt, timeoutMs: leftMs }, signal);
};

const modelFailed = (code: string): Outcome => ({ kind: 'model_failed', code, notes: '' });

const closed = (outcome: Outcome): Held & { readonly kind: 'ended' } => ({ kind: 'ended', outcome, notes: '' });

/** It said nothing that could be read. */
export const BROKE = closed(modelFailed('CLAUDE_CODE_BROKE'));

const over = (exceeded: ExceededBudget): Held => closed({ kind: 'budget_exceeded', exceeded, notes: '' });

const asExceeded = ({ budget, scope, limit }: Refusal): ExceededBudget => ({ budget, scope, limit });

const ended = (
  { wallMs, session }: Holding,
  end: Exclude<CliEnd, { readonly kind: 'result' }>,
  question: Question,
): Held => {
  switch (end.kind) {
    case 'superseded':
      return end;
    case 'timed_out':
      return over({ budget: 'wall', scope: 'run', limit: wallMs });
    case 'refused':
      return over(asExceeded(end.refusal));
    case 'silent':
      // What it says about it is prose; that it said nothing else is the fact.
      if (question.session === session && session.resumes && end.exitCode !== null) return { kind: 'session_lost' };
      return BROKE;
    default:
      return end satisfies never;
  }
};

/** Null for an answer. @throws ModelError where the same may succeed a little later. */
const failureOf = (result: CliResult, { call }: Holding): Outcome | null => {
  if (result.subtype === 'error_max_budget_usd') {
    const exceeded = { budget: 'money', scope: 'run', limit: call.maxUsd * 1_000_000 } as const;
    return { kind: 'budget_exceeded', exceeded, notes: '' };
  }
  if (result.refused) return { kind: 'refusal', category: null, notes: '' };
  if (result.isError && result.apiStatus !== null) return failedCall(result.apiStatus);
  if (result.subtype === 'error_max_structured_output_retries') {
    return { kind: 'unreadable', rawText: null, notes: '' };
  }
  return result.isError ? modelFailed('CLAUDE_CODE_FAILED') : null;
};

/** The CLI has tried again by itself, for as long as it is told to; whether later may help, its status says. */
const failedCall = (status: number): Outcome => {
  const facts = { status, type: null, requestId: null };
  const failure = { facts, cause: null, retryAfterMs: null };
  if (status === 429) throw new ModelRateLimitedError(failure);
  if (status === 529) throw new ModelOverloadedError({ ...failure, cost: { kind: 'nothing' } });
  if (status >= 500) throw new ModelUnavailableError({ ...failure, cost: { kind: 'nothing' } });
  return modelFailed([401, 402, 403].includes(status) ? 'MODEL_UNAUTHORISED' : 'MODEL_REQUEST_REFUSED');
};

const taken = (read: Exclude<ToolResult, { readonly kind: 'refused' }>): Outcome =>
  // `submit_review` either submits or refuses.
  read.kind === 'submitted' ? read : modelFailed('UNEXPECTED');

/** What is left of a review that still is not right; as in our own loop. */
const givenUp = (read: ToolResult & { readonly kind: 'refused' }): Outcome => {
  if (read.fallback !== null) return { kind: 'submitted', submission: read.fallback };
  if (read.unreadable !== null) return { kind: 'unreadable', rawText: read.unreadable, notes: '' };
  const problems = read.problems.filter(({ kind }) => kind === 'violation').map(({ text }) => text);
  return { kind: 'violation', problems, notes: '' };
};

/** What the model wrote for the next round. */
const notesIn = (answer: unknown): string => {
  const notes = answer instanceof Object && 'notes' in answer ? answer.notes : null;
  return typeof notes === 'string' ? appendNotes('', notes) : '';
};
