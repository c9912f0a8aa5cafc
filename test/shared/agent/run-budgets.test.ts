import { describe, expect, it } from 'vitest';
import { maxModelCalls } from '../../../shared/agent/model/budget.ts';
import type { Model } from '../../../shared/agent/model/model.ts';
import {
  ModelCallStoppedError,
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelStreamCutError,
} from '../../../shared/agent/model/model-errors.ts';
import { runTurns } from '../../../shared/agent/run-turns.ts';
import { applyInput, conversationOf } from '../../../shared/agent/turns.ts';
import { never, testRun } from './agent-run.ts';
import { outcome, play } from './play.ts';
import { call, reply, say, scriptedModel, submit, usage } from './scripted-model.ts';

describe('budgets', () => {
  it.each([
    ['tokens', { tokens: 18_000, microUsd: 1_000_000_000 }],
    ['money', { tokens: 1_000_000_000, microUsd: 104_000 }],
  ] as const)('stop before the call that might exceed the %s', async (budget, limit) => {
    const notes = () => reply([call('WriteNotes', { text: 'known' })], { usage: usage({ uncachedInput: 3_000 }) });
    const { result, ledger, run } = await play([notes(), notes(), notes(), notes()], {
      limits: { change_request: limit },
      start: { maxOutputTokens: 8_000 },
    });
    expect(outcome(result)).toMatchObject({
      kind: 'budget_exceeded',
      exceeded: { budget, scope: 'change_request' },
      notes: expect.stringContaining('known'),
    });
    const spent = await ledger.spent('change_request', run.meter.account);
    expect(spent.tokens).toBeLessThanOrEqual(limit.tokens);
    expect(spent.microUsd).toBeLessThanOrEqual(limit.microUsd);
  });

  it('count no attempt that the provider refused unread', async () => {
    const facts = { status: 429, type: null, requestId: null };
    const cut = new ModelRateLimitedError({ facts, cause: null, retryAfterMs: null });
    const { result, clock, events } = await play([cut, cut, submit()]);
    expect(result).toMatchObject({ spent: { modelCalls: 1, turns: 1 } });
    expect(clock.slept).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === 'retrying')).toHaveLength(2);
  });

  it('record what an execution spent that could not go on', async () => {
    const facts = { status: 529, type: null, requestId: null };
    const away = new ModelOverloadedError({ facts, cause: null, retryAfterMs: null, cost: { kind: 'unknown' } });
    const test = testRun(scriptedModel([away, away, away, away]));
    await expect(runTurns(test.run, never)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    expect(test.saved).toMatchObject([{ kind: 'interrupted', spent: { modelCalls: 4, outputTokens: 4 * 16_384 } }]);
    const resumed = await play([submit()], { transcript: { ...test.run.transcript, inputs: [...test.saved] } });
    expect(resumed.result).toMatchObject({ spent: { modelCalls: 5 } });
  });

  it('count all possible output of a call that broke off, and the input that was reported', async () => {
    const cut = new ModelStreamCutError({ kind: 'at_least', usage: usage({ uncachedInput: 50, output: 3 }) });
    const { result } = await play([cut, submit()], { start: { maxOutputTokens: 1_000 } });
    expect(result).toMatchObject({ spent: { modelCalls: 2, inputTokens: 150, outputTokens: 1_020 } });
  });

  it.each([
    ['nothing', { kind: 'nothing' }, { modelCalls: 1, inputTokens: 100, outputTokens: 20 }],
    [
      'what was streamed',
      { kind: 'streamed', usage: usage({ uncachedInput: 50, output: 3 }) },
      { modelCalls: 2, inputTokens: 150, outputTokens: 23 },
    ],
    [
      'no more than all possible output',
      { kind: 'streamed', usage: usage({ uncachedInput: 50, output: 9_999 }) },
      { modelCalls: 2, inputTokens: 150, outputTokens: 1_020 },
    ],
    ['the input alone', { kind: 'input' }, { modelCalls: 2, outputTokens: 20 }],
  ] as const)('F-D2: count %s of a call that failed so', async (_name, cost, spent) => {
    const { result, ledger, run } = await play([new ModelStreamCutError(cost), submit()], {
      start: { maxOutputTokens: 1_000 },
    });
    expect(result).toMatchObject({ spent });
    if (!('spent' in result)) throw new Error('it must end');
    const counted = await ledger.spent('run', run.meter.account);
    expect(counted.tokens).toBe(result.spent.inputTokens + result.spent.outputTokens);
  });

  it('F-D1: settle what a stopped call cost, and hand on the reason of its caller', async () => {
    const stop = new AbortController();
    const model: Model = {
      respond: async () => {
        stop.abort(new Error('superseded'));
        throw new ModelCallStoppedError(
          { kind: 'streamed', usage: usage({ uncachedInput: 50, output: 3 }) },
          stop.signal.reason,
        );
      },
    };
    const { run, ledger } = testRun(model);
    await expect(runTurns(run, stop.signal)).rejects.toThrow('superseded');
    expect((await ledger.spent('run', run.meter.account)).tokens).toBe(53);
  });

  it('bound the calls of a run: turns, corrections, fallback', async () => {
    const { model } = await play(
      [
        ...Array.from({ length: 2 }, () => reply([say('?')])),
        ...Array.from({ length: 20 }, () => reply([call('Nope', {})])),
      ],
      { start: { maxTurns: 3 } },
    );
    expect(model.requests).toHaveLength(maxModelCalls({ maxTurns: 3, maxCorrections: 2 }));
  });
});

describe('a transcript', () => {
  it('refuses an input that the conversation does not wait for', async () => {
    const { run, saved } = await play([submit()]);
    const [first] = saved;
    if (first === undefined) throw new Error('nothing saved');
    const conversation = conversationOf({ ...run.transcript, inputs: [first] });
    expect(() => applyInput(conversation, first)).toThrow(expect.objectContaining({ code: 'TRANSCRIPT_MISMATCH' }));
  });
});
