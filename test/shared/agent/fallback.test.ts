/** Models that take over: which, when, at which price, and that a run stays with them. */
import { expect, it, test } from 'vitest';
import { answeringModel, takenOverBy } from '../../../shared/agent/answered-by.ts';
import type { ModelRequest } from '../../../shared/agent/model/model.ts';
import {
  ModelOverloadedError,
  ModelRefusedRequestError,
  ModelTooLongError,
  ModelUnauthorisedError,
} from '../../../shared/agent/model/model-errors.ts';
import { PRICES, priceOf } from '../../../shared/agent/model/prices.ts';
import { replayTranscript } from '../../../shared/agent/replay.ts';
import { runTurns, type TurnsRun } from '../../../shared/agent/run-turns.ts';
import { call, reply, say, scriptedModel, submit, usage } from './scripted-model.ts';
import { ACCOUNT, never, type RunPatch, testRun } from './agent-run.ts';

const FIRST = 'claude-sonnet-5-5';
const facts = { status: 529, type: null, requestId: null };
const overloaded = () =>
  new ModelOverloadedError({ facts, cause: null, retryAfterMs: null, cost: { kind: 'nothing' } });
const unauthorised = () => new ModelUnauthorisedError({ facts, cause: null });

const priceFor = (inputPerMTok: number) => {
  const known = priceOf(PRICES, FIRST);
  if (known === null) throw new Error('no price');
  return { ...known, inputPerMTok, outputPerMTok: 0 };
};

const withChain = (model: TurnsRun['model'], patch: RunPatch = {}, names: readonly string[] = ['second', 'third']) => {
  const made = testRun(model, patch);
  const fallbacks = names.map((name, at) => ({ model: name, price: priceFor(10 * (at + 1)) }));
  return { ...made, run: { ...made.run, meter: { ...made.run.meter, fallbacks } } };
};

const modelsOf = ({ requests }: { readonly requests: readonly ModelRequest[] }) => requests.map(({ model }) => model);

it('asks the next model when the first one keeps failing, and stays with it', async () => {
  const failing = Array.from({ length: 4 }, overloaded);
  const model = scriptedModel([...failing, reply([call('Read', { path: 'a' })]), submit()]);
  const { run, events } = withChain(model);
  const result = await runTurns(run, never);
  if (result.kind !== 'ended') throw new Error('it must end');
  expect(modelsOf(model)).toEqual([FIRST, FIRST, FIRST, FIRST, 'second', 'second']);
  expect(events).toContainEqual({ kind: 'fell_back', from: FIRST, to: 'second', code: 'MODEL_OVERLOADED' });
  expect(takenOverBy(result.transcript)).toEqual(['second']);
  const { outcome, spent, transcript } = result;
  expect(replayTranscript(transcript)).toEqual({ kind: 'ended', outcome, spent });
});

it('goes on with the model that took over after a restart', async () => {
  const begun = withChain(scriptedModel([unauthorised(), reply([call('Read', { path: 'a' })])]));
  await runTurns(begun.run, never).catch(() => null);
  const resumed = { ...begun.run.transcript, inputs: [...begun.saved] };
  expect(answeringModel(resumed)).toBe('second');
  const model = scriptedModel([submit()]);
  await runTurns(withChain(model, { transcript: resumed }).run, never);
  expect(modelsOf(model)).toEqual(['second']);
});

test.each([
  ['a key that is refused', unauthorised()],
  ['a model that is not known', new ModelRefusedRequestError({ facts, cause: null })],
])('%s is a reason at once, without a second try', async (_what, error) => {
  const model = scriptedModel([error, unauthorised(), submit()]);
  const result = await runTurns(withChain(model).run, never);
  expect(modelsOf(model)).toEqual([FIRST, 'second', 'third']);
  expect(result).toMatchObject({ kind: 'ended', outcome: { kind: 'submitted' } });
});

it('ends with the failure of the last model', async () => {
  const model = scriptedModel([overloaded(), overloaded(), overloaded(), overloaded(), unauthorised()]);
  const result = await runTurns(withChain(model, {}, ['second']).run, never);
  expect(result).toMatchObject({ outcome: { kind: 'model_failed', code: 'MODEL_UNAUTHORISED' } });
});

it('is no way around a context that is full, a refusal or a budget', async () => {
  const tooLong = scriptedModel([new ModelTooLongError({ facts, cause: null })]);
  await runTurns(withChain(tooLong, { start: { role: 'explorer' } }).run, never);
  expect(modelsOf(tooLong)).toEqual([FIRST]);
  const refusing = scriptedModel([reply([], { stopReason: 'refusal' })]);
  await runTurns(withChain(refusing).run, never);
  expect(modelsOf(refusing)).toEqual([FIRST]);
  const poor = scriptedModel([]);
  const result = await runTurns(withChain(poor, { limits: { run: { tokens: 10, microUsd: 1 } } }).run, never);
  expect(result).toMatchObject({ outcome: { kind: 'budget_exceeded' } });
});

it('counts each model at its own price', async () => {
  const model = scriptedModel([unauthorised(), { ...submit(), usage: usage({ uncachedInput: 1_000, output: 0 }) }]);
  const { run, ledger } = withChain(model);
  const result = await runTurns(run, never);
  expect(result).toMatchObject({ spent: { costUsd: 0.01 } });
  expect(await ledger.spent('run', ACCOUNT)).toEqual({ tokens: 1_000, microUsd: 10_000 });
});

it('hands over the words of the first model and none of its thoughts, and gives its own thoughts back to the second', async () => {
  const thought = (value: string) => ({ kind: 'opaque' as const, value });
  const model = scriptedModel([
    reply([thought('of the first'), say('Looking.'), call('Read', { path: 'a' }, 'one')]),
    unauthorised(),
    reply([thought('of the second'), call('Read', { path: 'b' }, 'two')]),
    submit(),
  ]);
  await runTurns(withChain(model).run, never);
  const answers = model.requests.map(({ messages }) =>
    messages.flatMap(({ role, blocks }) => (role === 'assistant' ? [blocks.map(({ kind }) => kind)] : [])),
  );
  expect(answers).toEqual([
    [],
    [['opaque', 'text', 'tool_call']],
    [['text', 'tool_call']],
    [
      ['text', 'tool_call'],
      ['opaque', 'tool_call'],
    ],
  ]);
});

it('names the one tool of the last turn, for servers that can be told so', async () => {
  const model = scriptedModel([reply([call('Read', { path: 'a' })]), submit()]);
  await runTurns(testRun(model, { start: { maxTurns: 2 } }).run, never);
  expect(model.requests.map(({ mustCall }) => mustCall)).toEqual([undefined, 'submit_review']);
});
