/** Whatever dies while a change is reviewed in parts: the next execution ends it in the same way. */
import { expect, test } from 'vitest';
import { runConversation, type ConversationDeps } from '../../../../services/reviewer/run/run-conversation.ts';
import { type EndedPart, runParts } from '../../../../services/reviewer/run/run-parts.ts';
import type { ReviewPart } from '../../../../services/reviewer/parts/review-parts.ts';
import { transcriptOfPart } from '../../../../shared/vocabulary/question.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { call, reply, REVIEW, submit } from '../../../shared/agent/scripted-model.ts';
import { plainModel } from '../agent-stage.ts';
import { talkStage } from '../converse-stage.ts';

class Killed extends Error {}

const PARTS: readonly ReviewPart[] = [1, 2, 3, 4, 5].map((number) => ({
  number,
  files: [],
  bytes: 1,
  changedLines: 1,
}));

/** Each part looks around once and submits. `killAt`: the step of all parts together at which the process dies. */
const play = async (killAt: number | null) => {
  const model = plainModel([
    () => reply([call('Glob', { pattern: '*' }, 'g')]),
    () => submit({ ...REVIEW, summary: 'Seen.' }),
  ]);
  const { talk } = talkStage({ model });
  let steps = 0;
  let isDead = false;
  const step = (): void => {
    steps += 1;
    isDead ||= steps === killAt;
    if (isDead) throw new Killed();
  };
  const perilous: ConversationDeps = {
    ...talk,
    model: { respond: async (request, signal) => (step(), model.respond(request, signal)) },
    transcripts: {
      load: async (id) => talk.transcripts.load(id),
      begin: async (id, start) => (step(), talk.transcripts.begin(id, start)),
      append: async (id, at, input) => (step(), talk.transcripts.append(id, at, input)),
    },
    checkpoint: step,
  };
  const execute = async () =>
    runParts(
      {
        parts: PARTS,
        begun: new Set(),
        lanes: 2,
        wallMs: 600_000,
        talk: async ({ number }, wallMs, signal) =>
          runConversation({ ...perilous, runId: transcriptOfPart(talk.runId, number), wallMs }, signal),
      },
      never(),
    );
  for (let execution = 0; execution < 3; execution += 1) {
    isDead = false;
    const result = await execute().catch((error: unknown) => {
      if (error instanceof Killed) return null;
      throw error;
    });
    if (result?.kind === 'ended') return { told: result.parts.map(toldOf), calls: model.requests.length, steps };
  }
  throw new Error('no end');
};

const toldOf = ({ part, talked }: EndedPart) => [part.number, talked?.outcome, talked?.notes];

test('a kill at every single step costs at most one call of each part in progress, and changes nothing', async () => {
  const undisturbed = await play(null);
  expect(undisturbed.told.map(([number]) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(undisturbed.calls).toBe(10);
  for (let at = 1; at <= undisturbed.steps; at += 1) {
    const { told, calls } = await play(at);
    expect([at, told]).toEqual([at, undisturbed.told]);
    expect([at, calls <= undisturbed.calls + 2]).toEqual([at, true]);
  }
});
