/** Runs a conversation with the CLI: asks, reads the answer, asks for corrections, and stops at the limits. */
import type { BudgetRefusal } from '../agent/model/budget.ts';
import { ModelOverloadedError, ModelRateLimitedError, ModelUnavailableError } from '../agent/model/model-errors.ts';
import { isTooLong } from '../agent/model/too-long.ts';
import type { ExceededBudget } from '../vocabulary/exceeded.ts';
import type { CliResult } from './events.ts';
import type { CliCall, CallSession } from './invocation.ts';
import { type CliEnd, type CliRun, runCli } from './run-cli.ts';

/** `rest` is the usable part of a refused answer. It is used if no correction is left. */
export type Read<Answer> =
  | { readonly kind: 'taken'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly rest: Answer };

export type SessionDeps<Answer> = {
  readonly run: CliRun;
  readonly call: Omit<CliCall, 'session' | 'maxTurns'>;
  readonly session: CallSession;
  readonly opening: string;
  /** Contract: parses and judges any answer. */
  readonly read: (given: unknown, signal: AbortSignal) => Promise<Read<Answer>>;
  readonly correction: (problems: readonly string[]) => string;
  /** Prompt of one final call without tools when the turns are used up. With null, the conversation ends instead. */
  readonly lastCall: string | null;
  readonly maxTurns: number;
  readonly maxCorrections: number;
  /** Active time of all calls together. */
  readonly wallMs: number;
};

export type SessionResult<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'superseded' }
  /** The earlier conversation cannot be resumed. */
  | { readonly kind: 'session_lost' }
  | { readonly kind: 'exceeded'; readonly exceeded: ExceededBudget }
  | { readonly kind: 'refusal' }
  /** The CLI gave up before it got an answer that matches the schema. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'failed'; readonly code: string };

type Question = {
  readonly prompt: string;
  readonly session: CallSession;
  readonly maxTurns: number;
  readonly isLast: boolean;
};

/**
 * In a correction, the model may look something up before it answers. The last call may submit twice, because the CLI
 * itself checks the schema.
 */
const CORRECTION_TURNS = 3;
const LAST_TURNS = 2;

type Turns = { readonly maxTurns: number; readonly maxCorrections: number; readonly hasLastCall: boolean };

/** Maximum number of model calls in one conversation. */
export const maxCliTurns = ({ maxTurns, maxCorrections, hasLastCall }: Turns): number =>
  maxTurns + maxCorrections * CORRECTION_TURNS + (hasLastCall ? (maxCorrections + 1) * LAST_TURNS : 0);

/** @throws ModelError when a later retry may succeed, and the errors of `runCli`. */
export const runSession = async <Answer>(
  conversing: SessionDeps<Answer>,
  signal: AbortSignal,
): Promise<SessionResult<Answer>> => {
  const { run, session, opening, maxTurns, maxCorrections, lastCall } = conversing;
  const endsAtMs = run.clock.nowMs() + conversing.wallMs;
  const goOn = { id: session.id, resumes: true } as const;
  let question: Question = { prompt: opening, session, maxTurns, isLast: false };
  // The loop terminates, because every question after the first is a correction or the last call.
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

type Unanswered = Exclude<SessionResult<never>, { readonly kind: 'answered' }>;

const failed = (code: string): Unanswered => ({ kind: 'failed', code });

/** The CLI ended without readable output. */
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
      // The CLI explains a lost session only in prose, so a resumed session without any result counts as lost.
      if (question.session === session && session.resumes && end.exitCode !== null) return { kind: 'session_lost' };
      return BROKE;
    default:
      return end satisfies never;
  }
};

/** Returns null when there is an answer. `maxUsd` is the CLI's limit in US dollars. @throws ModelError */
const failureOf = (result: CliResult, maxUsd: number | null): Unanswered | null => {
  if (result.subtype === 'error_max_budget_usd') {
    return over({ budget: 'money', scope: 'run', limit: (maxUsd ?? 0) * 1_000_000 });
  }
  if (result.refused) return { kind: 'refusal' };
  if (result.isError && result.apiStatus !== null) return failedCall(result.apiStatus, result.answer);
  if (result.subtype === 'error_max_structured_output_retries') return { kind: 'unreadable' };
  return result.isError ? failed('CLAUDE_CODE_FAILED') : null;
};

/** The CLI has already retried the call on its own. The status shows whether a later retry may help. */
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
