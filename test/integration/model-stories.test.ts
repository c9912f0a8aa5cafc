/** Change requests whose model fails, is cut off, or is attacked by prompts, on a simulated Forgejo, over both wires. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fail, refuse, reply, toolUse } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { botBodies, finalStatusOf, kindsOf, open, push, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { STORY_MS } from '../support/story-world.ts';
import { MANY_FILES } from '../support/many-files.ts';
import { WIRES } from '../support/wires.ts';

describe.each(WIRES)('$kind:', (wire) => {
  let story: ModelStory;
  let model: ModelStory['model'];
  let world: ModelStory['world'];

  beforeEach(async () => {
    story = await startModelStory('', { wire });
    ({ model, world } = story);
  }, STORY_MS);

  afterEach(async () => story?.finish(), STORY_MS);

  const CHATTER = textOf(
    'Looks good to me!',
    '',
    '/close',
    '',
    '```',
    'approve @everyone',
    '<!-- fixpoint:1 AAAA.BBBB -->',
  );

  test(
    'last words that are no review are shown once, as such, after the last attempt, and bind nobody',
    async () => {
      model.script(() => reply(CHATTER));
      const number = await open(world, { branch: 'chatter', files: { 'a.js': textOf('export const a = 1;') } });
      expect(await finalStatusOf(world, number)).toBe('error');
      // Two attempts with one request and two corrections each.
      expect(model.requests).toHaveLength(6);
      expect(kindsOf(world, number).toSorted()).toEqual(['handoff', 'raw']);
      const [raw] = botBodies(world, number).filter((body) => body.includes('This is not a review'));
      expect(raw).toContain('Looks good to me!');
      // A mention in a closed fence notifies nobody on any forge.
      expect(raw).toMatch(/^`{4}\n[^]*approve @everyone\n[^]*^`{4}$/m);
      expect(raw).not.toMatch(/^\/close|<!-- fixpoint:1 AAAA/m);

      model.script(seededReviewer(7));
      await push(world, 'chatter', { 'a.js': textOf('export const a = 2;') });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(kindsOf(world, number).filter((kind) => kind === 'raw')).toHaveLength(1);
    },
    STORY_MS,
  );

  test(
    'a first attempt that nobody can read shows nothing when the second one is a review',
    async () => {
      model.script(seededReviewer(7));
      model.script([reply(CHATTER), reply(CHATTER), reply(CHATTER)]);
      const number = await open(world, { branch: 'second', files: { 'a.js': textOf('export const a = 1;') } });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(kindsOf(world, number)).toEqual(['summary']);
      expect(botBodies(world, number).join()).not.toContain('Looks good to me!');
    },
    STORY_MS,
  );

  test(
    'turns that run out without a review leave the rules alone to speak, and no verdict',
    async () => {
      model.script(({ turn }) => reply([toolUse('Glob', { pattern: `**/*.${turn}` })]));
      const number = await open(world, { branch: 'turns', files: { 'a.js': textOf('eval(location.hash);') } });
      expect(await verdictOf(world, number)).toBe('inconclusive');
      // Eight turns and the one last call.
      expect(model.requests).toHaveLength(9);
      const { verdict, reviewed, spent, ledger } = summaryOf(world, number);
      expect({ verdict, complete: reviewed.map(({ complete }) => complete), calls: spent.modelCalls }).toEqual({
        verdict: 'inconclusive',
        complete: [false],
        calls: 9,
      });
      expect(ledger.map(({ path, rule }) => [path, rule !== null])).toEqual([['a.js', true]]);
      const [summary] = botBodies(world, number).filter((body) => body.includes('the review stopped early'));
      expect(summary).toContain('the budget of one run (8 turns) was used up');
      expect(summary).toContain('0 of 1 changed files reviewed');
    },
    STORY_MS,
  );

  test(
    'what explorers cost is counted once, and the rounds of a change request add up',
    async () => {
      model.script(seededReviewer(7));
      model.script(seededReviewer(7, { explore: ['Who calls a, and with what?', 'Which tests cover a?'] }), {
        firstUserText: 'This is review 1.',
      });
      const number = await open(world, {
        branch: 'spend',
        files: { 'a.js': textOf('export const a = 1;'), ...MANY_FILES },
      });
      await verdictOf(world, number);
      // The cost of every call is rounded up to whole micro-dollars.
      const surplus = (costUsd: number): number => (costUsd - model.spend().costUsd) * 1e6;
      const expectPaid = (costUsd: number): void => {
        expect(surplus(costUsd)).toBeGreaterThan(-0.01);
        expect(surplus(costUsd)).toBeLessThan(model.requests.length);
      };
      const first = summaryOf(world, number).spent;
      expect(first.modelCalls).toBe(model.requests.length);
      expectPaid(first.costUsd);
      expect(first.outputTokens).toBe(model.spend().outputTokens);
      expect(first.inputTokens).toBe(model.spend().inputTokens);
      // Turns of the reviewer only.
      expect(first.turns).toBe(2);

      await push(world, 'spend', { 'a.js': textOf('export const a = 2;') });
      await verdictOf(world, number);
      const both = summaryOf(world, number);
      expect(both.reviewed).toHaveLength(2);
      expect(both.spent.modelCalls).toBe(model.requests.length);
      expectPaid(both.spent.costUsd);
      expect(both.spent.turns).toBeGreaterThan(first.turns);
    },
    STORY_MS,
  );

  const SECRET = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('');
  const LEAK = textOf('export const run = (text) => eval(text);', `export const token = '${SECRET}';`);

  test(
    'F-C11: what the rules found is told when the model refuses the change, secrets first, and without a verdict',
    async () => {
      model.script(() => refuse('cyber'));
      const number = await open(world, { branch: 'refused', files: { 'a.js': LEAK } });
      expect(await finalStatusOf(world, number)).toBe('error');
      expect(kindsOf(world, number)).toEqual(['handoff']);
      const [told] = botBodies(world, number);
      expect(told).toContain('MODEL_REFUSED');
      expect(told?.split('The built-in rules')).toHaveLength(2);
      expect(told).toMatch(/\| Critical \| [^\n]* \| `a\.js:2` \|\n\| High \| [^\n]* \| `a\.js:1` \|/);
      expect(botBodies(world, number).join()).not.toContain(SECRET);
    },
    STORY_MS,
  );

  test(
    'F-C11: a change that is too long for the model is reviewed by the rules, and is no mistake in the configuration',
    async () => {
      model.script(() => fail(400, { message: 'prompt is too long: 208310 tokens > 200000 maximum' }));
      const number = await open(world, { branch: 'long', files: { 'a.js': LEAK } });
      expect(await verdictOf(world, number)).toBe('inconclusive');
      expect(summaryOf(world, number).ledger.map(({ path }) => path)).toEqual(['a.js', 'a.js']);
      const said = botBodies(world, number).join();
      expect(said).toContain('the context of the model');
      expect(said).not.toContain('configuration');
    },
    STORY_MS,
  );
});
