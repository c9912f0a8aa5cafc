/** Whatever dies in the middle of a conversation: the next execution tells it to the same end. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runConversation, type ConversationDeps } from '../../../services/reviewer/run/run-conversation.ts';
import { never } from '../../shared/agent/agent-run.ts';
import { call, reply, REVIEW, say, submit } from '../../shared/agent/scripted-model.ts';
import { propertyMs, propertyRuns } from '../../support/deep.ts';
import { plainModel } from './agent-stage.ts';
import { explorePair, talkStage } from './converse-stage.ts';

class Killed extends Error {}

/** Everything that is written or asked is a step, before and after; `kills` names those at which the process dies. */
const perilousStage = (kills: ReadonlySet<number>) => {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (kills.has(steps)) throw new Killed();
  };
  const around = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    step();
    const result = await work();
    step();
    return result;
  };
  const model = plainModel([
    () =>
      reply([
        say('I look around.'),
        call('Glob', { pattern: '*' }, 'g'),
        call('WriteNotes', { text: '## Tests\nnone' }, 'n'),
      ]),
    explorePair,
    () => reply([say('no review')]),
    () => submit({ ...REVIEW, summary: 'All seen.' }),
  ]);
  const made = talkStage({ model });
  const { talk } = made;
  const perilous: ConversationDeps = {
    ...talk,
    model: { respond: async (request, signal) => around(async () => model.respond(request, signal)) },
    transcripts: {
      load: async (id) => talk.transcripts.load(id),
      begin: async (id, start) => around(async () => talk.transcripts.begin(id, start)),
      append: async (id, at, input) => around(async () => talk.transcripts.append(id, at, input)),
    },
    explorers: { ask: async (questions, signal) => around(async () => talk.explorers.ask(questions, signal)) },
    checkpoint: step,
  };
  return { ...made, model, talk: perilous, steps: () => steps };
};

const play = async (kills: readonly number[]) => {
  const { talk, model, transcripts, steps } = perilousStage(new Set(kills));
  for (let execution = 0; execution < 30; execution += 1) {
    const talked = await runConversation(talk, never).catch((error: unknown) => {
      if (error instanceof Killed) return null;
      throw error;
    });
    if (talked?.kind !== 'ended') continue;
    const { outcome, notes } = talked;
    const kinds = (await transcripts.load(talk.runId))?.inputs.map(({ kind }) => kind);
    return { told: { outcome, notes, kinds }, calls: model.requests.length, steps: steps() };
  }
  throw new Error('no end');
};

describe('a killed execution', () => {
  test('at every single step costs at most one call, and changes nothing', async () => {
    const undisturbed = await play([]);
    expect(undisturbed.told).toMatchObject({ outcome: { kind: 'submitted' }, notes: '## Tests\nnone' });
    expect(undisturbed.calls).toBe(4);
    for (let at = 1; at <= undisturbed.steps; at += 1) {
      const { told, calls: made } = await play([at]);
      expect([at, told]).toEqual([at, undisturbed.told]);
      expect([at, made <= undisturbed.calls + 1]).toEqual([at, true]);
    }
  });

  test(
    'as often as it likes costs at most one call each',
    async () => {
      const undisturbed = await play([]);
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 12 }), async (kills) => {
          const { told, calls: made } = await play(kills);
          expect(told).toEqual(undisturbed.told);
          expect(made).toBeLessThanOrEqual(undisturbed.calls + kills.length);
        }),
        propertyRuns(40, 500),
      );
    },
    propertyMs(300_000),
  );
});
