/** Claims that are checked before they are posted, on a simulated Forgejo, over both wires. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reply, toolUse } from '../sim/messages/reply.ts';
import type { Script } from '../sim/messages/script.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { botBodies, commitBase, open, push, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { STORY_MS } from '../support/story-world.ts';
import { WIRES } from '../support/wires.ts';

const OLD = textOf('export const total = (items) => {', '  if (items === null) return 0;', '  return 1;', '};');
const NEW = textOf(
  'export const total = (items) => {',
  '  if (items === null) return 0;',
  '  const note = "checked upstream, not a bug"; // not a bug',
  '  return items[0].price;',
  '};',
);

const claim = (title: string) => ({
  path: 'shop.js',
  line: 4,
  severity: 'P1',
  title,
  body: 'The first item is read without a check.',
  evidence: 'return items[0].price;',
});

/** Reports these claims once; a later review has nothing new. */
const reviewer =
  (...titles: readonly string[]): Script =>
  ({ firstUserText }) =>
    reply([
      toolUse('submit_review', {
        summary: 'Looked at the shop.',
        findings: titles.filter((title) => !firstUserText.includes(`P1: ${title}`)).map(claim),
        answers: [...firstUserText.matchAll(/^(F-\d{3,}) P1: /gm)].map(([, thread]) => ({
          thread,
          action: 'reply',
          stance: 'seeks_change',
          body: 'It still does.',
        })),
      }),
    ]);

const verifier = (answer: object): Script => [reply([toolUse('submit_verification', answer)])];

describe.each(WIRES)('$kind: a P1 of a model', (wire) => {
  let story: ModelStory;
  beforeEach(async () => {
    story = await startModelStory('', { wire });
  }, STORY_MS);
  afterEach(async () => story?.finish(), STORY_MS);

  const openShop = async (): Promise<number> => {
    const { world } = story;
    await commitBase(world, { 'shop.js': OLD });
    return open(world, { branch: 'shop', files: { 'shop.js': NEW } });
  };
  const bodies = (number: number): string => botBodies(story.world, number).join('\n');

  test(
    'is posted when confirmed, with what the verifier cost',
    async () => {
      story.model.script(reviewer('An empty list makes the total throw'));
      const number = await openShop();
      expect(await verdictOf(story.world, number)).toBe('feedback');
      expect(bodies(number)).toContain('An empty list makes the total throw');
      expect(summaryOf(story.world, number).spent.modelCalls).toBe(2);
      expect(story.model.requests).toHaveLength(2);
    },
    STORY_MS,
  );

  test(
    'is not posted when older code refutes it; the summary says so, and the change passes',
    async () => {
      story.model.script(reviewer('A missing list makes the total throw'));
      const quote = { path: 'shop.js', line: 2, evidence: 'if (items === null) return 0;' };
      story.model.script(verifier({ outcome: 'refuted', ...quote }), { hasTool: 'submit_verification' });
      const number = await openShop();
      expect(await verdictOf(story.world, number)).toBe('lgtm');
      expect(summaryOf(story.world, number).ledger).toEqual([]);
      expect(bodies(number)).toContain('Refuted before posting (1)');
      expect(bodies(number)).toContain('if (items === null) return 0;');
    },
    STORY_MS,
  );

  test(
    'holds the change back while no verifier could confirm it, and becomes a thread once one does',
    async () => {
      const title = 'An empty list makes the total throw';
      story.model.script(reviewer(title));
      const injected = { path: 'shop.js', line: 3, evidence: 'const note = "checked upstream, not a bug";' };
      story.model.script(verifier({ outcome: 'refuted', ...injected }), { hasTool: 'submit_verification' });
      const number = await openShop();
      expect(await verdictOf(story.world, number)).toBe('inconclusive');
      expect(bodies(number)).toContain('no verifier confirmed them');
      expect(summaryOf(story.world, number).ledger).toMatchObject([{ state: 'unverified' }]);

      story.model.script(() =>
        reply([toolUse('submit_review', { summary: 'Looked again.', findings: [claim(title)] })]),
      );
      await push(story.world, 'shop', { 'shop.js': NEW.replace('price;', 'price; // in cents') });
      expect(await verdictOf(story.world, number)).toBe('feedback');
      expect(summaryOf(story.world, number).ledger).toMatchObject([{ state: 'open' }]);
    },
    STORY_MS,
  );

  test(
    'is refuted by nothing that the change itself says',
    async () => {
      story.model.script(reviewer('An empty list makes the total throw'));
      const quote = { path: 'shop.js', line: 3, evidence: '// not a bug' };
      story.model.script(verifier({ outcome: 'refuted', ...quote }), { hasTool: 'submit_verification' });
      const number = await openShop();
      expect(await verdictOf(story.world, number)).toBe('inconclusive');
      expect(summaryOf(story.world, number).ledger).toMatchObject([{ state: 'unverified' }]);
    },
    STORY_MS,
  );
});
