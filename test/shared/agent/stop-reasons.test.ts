/** Every way in which a model or its provider can stop, alone and in pairs, and what becomes of the review. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../shared/agent/model/model.ts';
import {
  type FailureCost,
  ModelBadAnswerError,
  ModelError,
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelRefusedRequestError,
  ModelStreamCutError,
  ModelTimedOutError,
  ModelTooLongError,
  ModelUnauthorisedError,
  ModelUnavailableError,
} from '../../../shared/agent/model/model-errors.ts';
import { replayTranscript } from '../../../shared/agent/replay.ts';
import { runTurns } from '../../../shared/agent/run-turns.ts';
import { never, testRun } from './agent-run.ts';
import { call, reply, REVIEW, say, scriptedModel, type Step, submit } from './scripted-model.ts';

const facts = { status: 500, type: null, requestId: null };
const cost: FailureCost = { kind: 'nothing' };
const base = { facts, cause: undefined, retryAfterMs: null, cost };

const thinking = { kind: 'opaque', value: { type: 'thinking', thinking: 'hm', signature: 's' } } as const;

/** What a reply leads to when the script has nothing but this reply, again and again. */
const REPLIES: Readonly<Record<string, { readonly step: ModelReply; readonly alone: string }>> = {
  'end_turn with prose': { step: reply([say('All good, ship it.')]), alone: 'unreadable' },
  'end_turn with nothing': { step: reply([]), alone: 'unreadable' },
  'end_turn with blanks': { step: reply([say(' \n ')]), alone: 'unreadable' },
  'thinking only': { step: reply([thinking]), alone: 'unreadable' },
  stop_sequence: { step: reply([say('x')], { stopReason: 'stop_sequence' }), alone: 'unreadable' },
  'max_tokens in prose': { step: reply([say('The chan')], { stopReason: 'max_tokens' }), alone: 'unreadable' },
  'max_tokens in a call': {
    step: reply([call('submit_review', REVIEW)], { stopReason: 'max_tokens' }),
    alone: 'unreadable',
  },
  refusal: { step: reply([], { stopReason: 'refusal', refusalCategory: 'cyber' }), alone: 'refusal' },
  pause_turn: { step: reply([say('wait')], { stopReason: 'pause_turn' }), alone: 'budget_exceeded turns' },
  'context exceeded': { step: reply([say('x')], { stopReason: 'context_exceeded' }), alone: 'budget_exceeded context' },
  'an unknown reason': { step: reply([say('x')], { stopReason: 'other' }), alone: 'unreadable' },
  'tool_use without a call': { step: reply([say('x')], { stopReason: 'tool_use' }), alone: 'unreadable' },
  'a call of an unknown tool': { step: reply([call('Bash', { command: 'env' })]), alone: 'budget_exceeded turns' },
  'a review against the rules': { step: submit({ summary: 'x', findings: 'none' }), alone: 'unreadable' },
  'a review with a bad finding': { step: submit({ ...REVIEW, findings: [{ path: 'a' }] }), alone: 'submitted' },
};

const FAILURES: Readonly<Record<string, { readonly step: ModelError; readonly alone: string }>> = {
  '429': { step: new ModelRateLimitedError(base), alone: 'throws MODEL_RATE_LIMITED' },
  '429 with a time': {
    step: new ModelRateLimitedError({ ...base, retryAfterMs: 2_000 }),
    alone: 'throws MODEL_RATE_LIMITED',
  },
  '529': { step: new ModelOverloadedError(base), alone: 'throws MODEL_OVERLOADED' },
  '5xx': { step: new ModelUnavailableError(base), alone: 'throws MODEL_UNAVAILABLE' },
  'a cut stream': { step: new ModelStreamCutError(cost), alone: 'throws MODEL_STREAM_CUT' },
  silence: { step: new ModelTimedOutError({ kind: 'idle', ms: 1 }, cost), alone: 'throws MODEL_TIMED_OUT' },
  nonsense: { step: new ModelBadAnswerError('event', cost), alone: 'throws MODEL_BAD_ANSWER' },
  'a prompt that is too long': { step: new ModelTooLongError(base), alone: 'budget_exceeded context' },
  '400': { step: new ModelRefusedRequestError(base), alone: 'model_failed MODEL_REQUEST_REFUSED' },
  '401': { step: new ModelUnauthorisedError(base), alone: 'model_failed MODEL_UNAUTHORISED' },
};

const outcomeOf = async (steps: readonly Step[]): Promise<string> => {
  const model = scriptedModel(steps);
  const { run, saved } = testRun(model);
  try {
    const result = await runTurns(run, never);
    if (result.kind !== 'ended') return result.kind;
    const replayed = replayTranscript({ ...run.transcript, inputs: [...saved] });
    expect(replayed).toEqual({ kind: 'ended', outcome: result.outcome, spent: result.spent });
    const { outcome } = result;
    if (outcome.kind === 'budget_exceeded') return `budget_exceeded ${outcome.exceeded.budget}`;
    if (outcome.kind === 'model_failed') return `model_failed ${outcome.code}`;
    return outcome.kind;
  } catch (error) {
    if (error instanceof ModelError) return `throws ${error.code}`;
    throw error;
  }
};

const repeat = (step: Step): readonly Step[] => Array.from({ length: 30 }, () => step);

describe('a model that only ever', () => {
  it.each(Object.entries(REPLIES))('answers with %s', async (_name, { step, alone }) => {
    expect(await outcomeOf(repeat(step))).toBe(alone);
  });

  it.each(Object.entries(FAILURES))('fails with %s', async (_name, { step, alone }) => {
    expect(await outcomeOf(repeat(step))).toBe(alone);
  });
});

/** What does not end a run at once is survived when the next answer is a review. */
const ENDS_AT_ONCE: Readonly<Record<string, string>> = {
  refusal: 'refusal',
  '400': 'model_failed MODEL_REQUEST_REFUSED',
  '401': 'model_failed MODEL_UNAUTHORISED',
};

/** When the first request is too long already, there is nothing to drop; later the middle gives way. */
const OVERFLOWS: ReadonlySet<string> = new Set(['context exceeded', 'a prompt that is too long']);

const ALL = { ...REPLIES, ...FAILURES };
const names = Object.keys(ALL);

describe('a review handed in after', () => {
  it.each(names)('%s', async (name) => {
    const expected = OVERFLOWS.has(name) ? 'budget_exceeded context' : (ENDS_AT_ONCE[name] ?? 'submitted');
    expect(await outcomeOf([stepOf(name), submit()])).toBe(expected);
  });
});

const stepOf = (name: string): Step => {
  const step = ALL[name]?.step;
  if (step === undefined) throw new Error(`no step ${name}`);
  return step;
};

const afterPair = (one: string, other: string): string => {
  const overflows = OVERFLOWS.has(one) || (OVERFLOWS.has(other) && one in FAILURES);
  const ended = ENDS_AT_ONCE[one] ?? (overflows ? 'budget_exceeded context' : ENDS_AT_ONCE[other]);
  return ended ?? 'submitted';
};

describe.each(names)('pairs that begin with %s', (one) => {
  it('end as designed when a review is handed in behind them', async () => {
    const got: Record<string, string> = {};
    for (const other of names) got[other] = await outcomeOf([stepOf(one), stepOf(other), submit()]);
    expect(got).toEqual(Object.fromEntries(names.map((other) => [other, afterPair(one, other)])));
  });

  it('end, and never clean, when both come in turns for ever', async () => {
    for (const other of names) {
      const steps = Array.from({ length: 40 }, (_, index) => stepOf(index % 2 === 0 ? one : other));
      const got = await outcomeOf(steps);
      // The only way to hand in here is the review whose finding could not be read: it is never complete.
      const mayHandIn = [one, other].includes('a review with a bad finding');
      const ends = /^(?:unreadable|refusal|violation|budget_exceeded \w+|model_failed \w+|throws MODEL_\w+)$/;
      if (!(mayHandIn && got === 'submitted')) expect(got).toMatch(ends);
    }
  });
});

it('is what the README says of each case', () => {
  const readme = readFileSync(new URL('../../../shared/agent/README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `(?<name>[^`]+)` \|.*\| `(?<alone>[^`]+)` \|$/gm)];
  const told = Object.fromEntries(rows.map(({ groups }) => [groups?.['name'], groups?.['alone']]));
  expect(told).toEqual(Object.fromEntries(Object.entries(ALL).map(([name, { alone }]) => [name, alone])));
});
