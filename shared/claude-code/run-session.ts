/** The conversation with the CLI: ask, read what was handed in, let it be put right, and stop at a bound. */
import type { BudgetRefusal } from '../agent/model/budget.ts';
import { ModelOverloadedError, ModelRateLimitedError, ModelUnavailableError } from '../agent/model/model-errors.ts';
import { isTooLong } from '../agent/models/anthropic/too-long.ts';
import type { ExceededBudget } from '../vocabulary/exceeded.ts';
import type { CliResult } from './events.ts';
import type { CliCall, CallSession } from './invocation.ts';
import { type CliEnd, type CliRun, runCli } from './run-cli.ts';

/** `rest`: what is left of it when no correction is. */
export type Read<Answer> =
  | { readonly kind: 'taken'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly rest: Answer };

export type SessionDeps<Answer> = {
  readonly run: CliRun;
  readonly call: Omit<CliCall, 'session' | 'maxTurns'>;
  readonly session: CallSession;
  readonly opening: string;
  /** Contract: reads and judges what is handed in, whatever that is. */
  readonly read: (given: unknown, signal: AbortSignal) => Promise<Read<Answer>>;
  readonly correction: (problems: readonly string[]) => string;
  /** Asked once, without tools, when the turns are used up; null: then it is over. */
  readonly lastCall: string | null;
  readonly maxTurns: number;
  readonly maxCorrections: number;
  /** Active time of all calls. */
  readonly wallMs: number;
};

export type SessionResult<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'superseded' }
  /** The earlier conversation cannot be gone on with. */
  | { readonly kind: 'session_lost' }
  | { readonly kind: 'exceeded'; readonly exceeded: ExceededBudget }
  /** The model will not do it. */
  | { readonly kind: 'refusal' }
  /** The CLI itself has given up on the shape of the answer. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'failed'; readonly code: string };

type Question = {
  readonly prompt: string;
  readonly session: CallSession;
  readonly maxTurns: number;
  readonly isLast: boolean;
};

/** A correction may look something up first; the last call may hand in twice, since the CLI checks the shape itself. */
const CORRECTION_TURNS = 3;
const LAST_TURNS = 2;

type Turns = { readonly maxTurns: number; readonly maxCorrections: number; readonly hasLastCall: boolean };

/** The most calls of the model that one conversation can make. */
export const maxCliTurns = ({ maxTurns, maxCorrections, hasLastCall }: Turns): number =>
  maxTurns + maxCorrections * CORRECTION_TURNS + (hasLastCall ? (maxCorrections + 1) * LAST_TURNS : 0);

/** @throws ModelError where the same may succeed a little later, and as `runCli` does. */
export const runSession = async <Answer>(
  conversing: SessionDeps<Answer>,
  signal: AbortSignal,
): Promise<SessionResult<Answer>> => {
  const { run, session, opening, maxTurns, maxCorrections, lastCall } = conversing;
  const endsAtMs = run.clock.nowMs() + conversing.wallMs;
  const goOn = { id: session.id, resumes: true } as const;
  let question: Question = { prompt: opening, session, maxTurns, isLast: false };
  // Every question but the first is a correction or the last call, so this ends.
  for (let corrections = 0; ; ) {
    const end = await ask(conversing, { question, leftMs: endsAtMs - run.clock.nowMs() }, signal);
    if (end.kind !== 'result') return endedBy(conversing, end, question);
    const { result } = end;
    if (result.subtype === 'error_max_turns') {
      if (question.isLast || lastCall === null) return over({ budget: 'turns', scope: 'run', limit: maxTurns });
      question = { prompt: lastCall, session: goOn, maxTurns: LAST_TURNS, isLast: true };
      continue;
    }
    const failure = failureOf(result, conversing.call.maxUsd);
    if (failure !== null) return failure;
    const read = await conversing.read(result.answer, signal);
    if (read.kind === 'taken') return { kind: 'answered', answer: read.answer };
    if (corrections >= maxCorrections) return { kind: 'answered', answer: read.rest };
    corrections += 1;
    const prompt = conversing.correction(read.problems);
    question = { prompt, session: goOn, maxTurns: CORRECTION_TURNS, isLast: false };
  }
};

type Asked = { readonly question: Question; readonly leftMs: number };

const ask = async (
  { run, call }: Pick<SessionDeps<unknown>, 'run' | 'call'>,
  { question, leftMs }: Asked,
  signal: AbortSignal,
): Promise<CliEnd> => {
  if (leftMs <= 0) return { kind: 'timed_out' };
  const { prompt, session, maxTurns, isLast } = question;
  const tools = isLast ? [] : call.tools;
  return runCli(run, { call: { ...call, session, maxTurns, tools }, prompt, timeoutMs: leftMs }, signal);
};

/** How a conversation ends without an answer. */
type Unanswered = Exclude<SessionResult<never>, { readonly kind: 'answered' }>;

const failed = (code: string): Unanswered => ({ kind: 'failed', code });

/** It said nothing that could be read. */
export const BROKE = { kind: 'failed', code: 'CLAUDE_CODE_BROKE' } as const;

const over = (exceeded: ExceededBudget): Unanswered => ({ kind: 'exceeded', exceeded });

const asExceeded = ({ budget, scope, limit }: BudgetRefusal): ExceededBudget => ({ budget, scope, limit });

const endedBy = (
  { wallMs, session }: Pick<SessionDeps<unknown>, 'wallMs' | 'session'>,
  end: Exclude<CliEnd, { readonly kind: 'result' }>,
  question: Question,
): Unanswered => {
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

/** Null for an answer. `maxUsd`: US dollars that the CLI was allowed. @throws ModelError */
const failureOf = (result: CliResult, maxUsd: number): Unanswered | null => {
  if (result.subtype === 'error_max_budget_usd') {
    return over({ budget: 'money', scope: 'run', limit: maxUsd * 1_000_000 });
  }
  if (result.refused) return { kind: 'refusal' };
  if (result.isError && result.apiStatus !== null) return failedCall(result.apiStatus, result.answer);
  if (result.subtype === 'error_max_structured_output_retries') return { kind: 'unreadable' };
  return result.isError ? failed('CLAUDE_CODE_FAILED') : null;
};

/** The CLI has tried again by itself, for as long as it is told to; whether later may help, its status says. */
const failedCall = (status: number, said: unknown): Unanswered => {
  const facts = { status, type: null, requestId: null };
  const failure = { facts, cause: null, retryAfterMs: null };
  if (status === 429) throw new ModelRateLimitedError(failure);
  if (status === 529) throw new ModelOverloadedError({ ...failure, cost: { kind: 'nothing' } });
  if (status >= 500) throw new ModelUnavailableError({ ...failure, cost: { kind: 'nothing' } });
  if (isTooLong({ status, type: null, words: typeof said === 'string' ? said : '' })) {
    return over({ budget: 'context', scope: 'run', limit: 0 });
  }
  return failed([401, 402, 403].includes(status) ? 'MODEL_UNAUTHORISED' : 'MODEL_REQUEST_REFUSED');
};
