import { describe, expect, it } from 'vitest';
import {
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelRefusedRequestError,
  ModelStreamCutError,
  ModelUnavailableError,
} from '../../../../shared/agent/model/model-errors.ts';
import {
  createRetryingModel,
  DEFAULT_MODEL_RETRY,
  decideModelRetry,
} from '../../../../shared/agent/model/retrying-model.ts';
import { reply, say, scriptedModel, type Step } from '../scripted-model.ts';
import { virtualClock } from '../virtual-clock.ts';

const facts = { status: null, type: null, requestId: null };
const limited = (retryAfterMs: number | null) => new ModelRateLimitedError({ facts, cause: null, retryAfterMs });
const nothing = { kind: 'nothing' } as const;
const down = new ModelUnavailableError({ facts, cause: null, retryAfterMs: null, cost: nothing });
const busy = new ModelOverloadedError({ facts, cause: null, retryAfterMs: null, cost: nothing });
const wrong = new ModelRefusedRequestError({ facts, cause: null });

describe('the decision to ask again', () => {
  it.each([
    ['a named delay is kept to, and jitter comes on top', limited(7_000), 1, 600_000, { kind: 'wait', delayMs: 7_500 }],
    ['the first wait without a name', down, 1, 600_000, { kind: 'wait', delayMs: 500 }],
    ['the third', busy, 3, 600_000, { kind: 'wait', delayMs: 2_000 }],
    ['the last attempt was made', busy, 4, 600_000, { kind: 'give_up' }],
    ['the name is too long', limited(60_001), 1, 600_000, { kind: 'give_up' }],
    ['the run does not live that long', limited(7_000), 1, 7_500, { kind: 'give_up' }],
    ['the run is over', down, 1, 0, { kind: 'give_up' }],
    ['it cannot help', wrong, 1, 600_000, { kind: 'give_up' }],
    ['a cut stream', new ModelStreamCutError({ kind: 'unknown' }), 1, 600_000, { kind: 'wait', delayMs: 500 }],
  ] as const)('%s', (_name, error, attempt, leftMs, expected) => {
    expect(decideModelRetry({ error, attempt, leftMs }, DEFAULT_MODEL_RETRY, () => 0.5)).toEqual(expected);
  });

  it('never waits less than it was told, nor longer than it may', () => {
    for (const random of [0, 0.25, 0.999]) {
      const decision = decideModelRetry(
        { error: limited(5_000), attempt: 1, leftMs: 600_000 },
        DEFAULT_MODEL_RETRY,
        () => random,
      );
      expect(decision.kind === 'wait' && decision.delayMs >= 5_000 && decision.delayMs < 6_000).toBe(true);
    }
  });
});

describe('a patient model', () => {
  const ask = async (steps: readonly Step[], leftMs = 600_000) => {
    const clock = virtualClock();
    const model = scriptedModel(steps);
    const patient = createRetryingModel(model, { policy: DEFAULT_MODEL_RETRY, clock, leftMs: () => leftMs });
    const request = { model: 'm', maxOutputTokens: 1, system: [], tools: [], messages: [] };
    const got = await patient.respond(request, new AbortController().signal).catch((error: unknown) => error);
    return { got, clock, model };
  };

  it('Q12: asks again with back-off until an answer comes', async () => {
    const { got, clock } = await ask([down, limited(2_000), busy, reply([say('hi')])]);
    expect(got).toMatchObject({ stopReason: 'end_turn' });
    expect(clock.slept).toEqual([500, 2_500, 2_000]);
  });

  it('gives the last failure after four attempts', async () => {
    const { got, model } = await ask([down, down, down, busy, reply([say('late')])]);
    expect(got).toBe(busy);
    expect(model.requests).toHaveLength(4);
  });

  it.each([wrong, new Error('a bug')])('asks once when it cannot help: %s', async (error) => {
    const { got, model } = await ask([error, reply([say('no')])]);
    expect(got).toBe(error);
    expect(model.requests).toHaveLength(1);
  });
});
