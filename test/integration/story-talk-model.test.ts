/** How a reviewing model handles replies without a push, and the effects of its answers. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import {
  answerFinding,
  reviewed,
  botBodies,
  inlineOf,
  kindsOf,
  repliesOf,
  statusOf,
  summaryOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { STORY_MS } from '../support/story-world.ts';

let story: ModelStory;
let model: ModelStory['model'];
let world: ModelStory['world'];

beforeEach(async () => {
  story = await startModelStory();
  ({ model, world } = story);
}, STORY_MS);

afterEach(async () => story?.finish(), STORY_MS);

const PLANTED = textOf('export const a = open(); // DEFECT(P1: forgets to close the file)');

const planted = async (branch: string): Promise<number> => {
  const number = await reviewed(world, branch, PLANTED);
  expect(statusOf(world, number)).toBe('failure');
  return number;
};

const lastPrompt = (): string => JSON.stringify(model.requests.at(-1)?.body);

test(
  'an argument that convinces closes the thread and passes the change, without a new review',
  async () => {
    model.script(seededReviewer(7));
    const number = await planted('convinced');
    await answerFinding(world, number, { body: 'The caller closes it, see server.js.' });
    expect(await verdictOf(world, number)).toBe('lgtm');
    expect(inlineOf(world, number)[0]).toMatchObject({ id: 'F-001', state: 'resolved' });
    expect(summaryOf(world, number)).toMatchObject({ review: 1, runs: 2, reviewed: [{ verdict: 'lgtm', review: 1 }] });
    expect(kindsOf(world, number).toSorted()).toEqual(['finding', 'notice', 'summary']);
    expect(statusOf(world, number)).toBe('success');
    expect(lastPrompt()).toContain('This head has been reviewed.');
    expect(lastPrompt()).toContain('The caller closes it, see server.js.');
    expect(lastPrompt()).not.toContain('This change is very small');
  },
  STORY_MS,
);

test(
  'whatever else the model has to say then is not heard, and a model that insists hands over at the last count',
  async () => {
    model.script(
      seededReviewer(7, {
        answer: ({ actions }) => ({
          action: actions.includes('reply') ? 'reply' : 'veto',
          stance: 'seeks_change',
          body: 'Nobody closes it.',
        }),
      }),
    );
    const number = await planted('insisting');
    await answerFinding(world, number, { body: 'By design.' });
    await answerFinding(world, number, { body: 'By design!' });
    await answerFinding(world, number, { body: 'By design!!' });
    expect(repliesOf(world, number).map(({ action, count }) => [action, count])).toEqual([
      ['reply', 1],
      ['veto', 2],
    ]);
    expect(summaryOf(world, number)).toMatchObject({ verdict: 'feedback', review: 1, runs: 3, nextId: 1 });
    // The same words a second time would be nothing new.
    expect(botBodies(world, number).filter((body) => body.includes('Nobody closes it.'))).toHaveLength(1);
    expect(botBodies(world, number).filter((body) => body.includes('The reasons are above.'))).toHaveLength(1);
  },
  STORY_MS,
);

test(
  'a model that cannot answer leaves the thread to a human after its attempts, and the verdict as it was',
  async () => {
    model.script(seededReviewer(7));
    const number = await planted('silent');
    model.script(() => ({ kind: 'reply', content: [{ kind: 'text', text: 'Hm.' }] }), {
      firstUserText: 'This head has been reviewed.',
    });
    await answerFinding(world, number, { body: 'By design.' });
    expect(repliesOf(world, number)).toEqual([{ review: 1, id: 'F-001', action: 'escalate', count: 1 }]);
    expect(summaryOf(world, number)).toMatchObject({ verdict: 'feedback', phase: 'posted', runs: 3 });
    expect(kindsOf(world, number).filter((kind) => kind === 'handoff')).toHaveLength(1);
    expect(statusOf(world, number)).toBe('failure');
  },
  STORY_MS,
);
