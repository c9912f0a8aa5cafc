/** A change that does not fit one prompt, on a simulated Forgejo: its parts, what is left out, the command for it, and a later push. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { botBodies, open, push, statusOf, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { AUTHOR, REPO, STORY_MS } from '../support/story-world.ts';

/** A prompt holds about 20 kB of diff, so each folder is a part of its own, and only two parts are reviewed in one run. */
const SMALL = '[agent]\ncompact_at_tokens = 10_000\nmax_parts = 2\n';

const AREAS = ['auth', 'cart', 'shop'] as const;

const linesOf = (area: string, last = ''): string =>
  textOf(...Array.from({ length: 400 }, (_, index) => `export const ${area}${index} = ${index};`), last);

const CHANGE = Object.fromEntries(AREAS.map((area) => [`src/${area}/code.js`, linesOf(area)]));

let story: ModelStory;
beforeEach(async () => {
  story = await startModelStory(SMALL);
}, STORY_MS);
afterEach(async () => story?.finish(), STORY_MS);

const reviewerCalls = (): number =>
  story.model.requests.filter(({ request }) => request?.tools?.some(({ name }) => name === 'submit_review')).length;

test(
  'passes once the part that was left out is reviewed, and a push costs only the part that it touches',
  async () => {
    const { model, world } = story;
    model.script(seededReviewer(7, { reads: 0 }));
    const number = await open(world, { branch: 'large', files: CHANGE });
    expect(await verdictOf(world, number)).toBe('inconclusive');
    expect(reviewerCalls()).toBe(2);
    const [command = ''] = botBodies(world, number).flatMap((body) => body.match(/@\S+ review src\/\S+?\//) ?? []);
    expect(command).toMatch(/ review src\/(?:cart|shop)\/$/);

    world.sim.comment({ repo: REPO, number, as: AUTHOR, body: command });
    await world.sim.until(() => statusOf(world, number) === 'pending', 20_000);
    expect(await verdictOf(world, number)).toBe('lgtm');
    expect(reviewerCalls()).toBe(3);
    expect(statusOf(world, number)).toBe('success');
    expect(summaryOf(world, number).reviewed.at(-1)).toMatchObject({ verdict: 'lgtm' });

    await push(world, 'large', {
      'src/shop/code.js': linesOf('shop', 'export const close = open(); // DEFECT(P1: leaks)'),
    });
    expect(await verdictOf(world, number)).toBe('feedback');
    expect(reviewerCalls()).toBe(4);
    const prompt = String(
      model.requests.findLast(({ request }) => request?.tools?.some(({ name }) => name === 'submit_review'))?.body,
    );
    expect(prompt).toContain('src/shop/code.js');
    expect(prompt).not.toContain('export const auth200');
  },
  STORY_MS,
);
