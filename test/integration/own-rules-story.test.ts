/** Own rules of projects and of an organisation, with the real services on a simulated forge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import { botBodies, commitBase, inlineOf, open, push, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { OWNER, STORY_MS, type StoryWorld } from '../support/story-world.ts';
import { MESSAGES_WIRE } from '../support/wires.ts';

const source = (name: string, more: string): string =>
  `[[rules.from]]\nname = "${name}"\nforge = "sim"\nproject = "${OWNER}/code-rules"\n${more}\n`;

const SETTINGS = [
  source(
    'acme',
    `ref = "main"\nrules = "rules"\nguidelines = "style.md"\nprojects = ["${OWNER}/shop", "${OWNER}/desk"]`,
  ),
  source('gone', `ref = "v9"\nrules = "rules"\nprojects = ["${OWNER}/lab"]`),
  `[[project]]\nmatch = ["${OWNER}/desk", "${OWNER}/lab"]\nreview.runner = "rules"\n`,
].join('\n');

const rule = (id: string, severity = 'error'): string =>
  textOf(
    `id: ${id}`,
    'language: JavaScript',
    `severity: ${severity}`,
    `message: Do not call ${id}`,
    `rule: { pattern: ${id}($A) }`,
    `invalid: ["${id}(a)"]`,
  );

const calls = (name: string): string => textOf(`export const result = ${name}(input);`);
const CLEAN = textOf('export const result = 1;');
const STYLE = 'Every price has the unit cent.';

let story: ModelStory;
let shop: StoryWorld;
let desk: StoryWorld;
let lab: StoryWorld;
let organisation: StoryWorld;

beforeAll(async () => {
  story = await startModelStory(SETTINGS, { wire: MESSAGES_WIRE, moreRepos: ['desk', 'lab', 'code-rules'] });
  story.model.script(seededReviewer(7));
  shop = story.world;
  [desk, lab, organisation] = ['desk', 'lab', 'code-rules'].map((name) => story.world.at(`${OWNER}/${name}`)) as [
    StoryWorld,
    StoryWorld,
    StoryWorld,
  ];
  await commitBase(organisation, { 'rules/legacy.yml': rule('legacy'), 'style.md': textOf(STYLE) });
  await commitBase(desk, { 'README.md': textOf('# Desk'), '.fixpoint/rules/own.yml': rule('ownCall') });
  await commitBase(lab, { 'README.md': textOf('# Lab') });
}, STORY_MS);
afterAll(async () => story?.finish(), STORY_MS);

const rulesIn = (world: StoryWorld, number: number): readonly string[] =>
  inlineOf(world, number)
    .map((each) => each.rule ?? 'none')
    .toSorted();

describe.sequential('own rules', () => {
  test(
    'of the organisation hold in both projects, and those of a project only there',
    async () => {
      const files = { 'legacy.js': calls('legacy'), 'own.js': calls('ownCall') };
      const atDesk = await open(desk, { branch: 'both', files });
      const atShop = await open(shop, { branch: 'both', files });
      expect(await verdictOf(desk, atDesk)).toBe('feedback');
      expect(await verdictOf(shop, atShop)).toBe('feedback');
      expect(rulesIn(desk, atDesk)).toEqual(['acme/legacy', 'project/ownCall']);
      expect(rulesIn(shop, atShop)).toEqual(['acme/legacy']);

      await push(desk, 'both', { 'legacy.js': CLEAN, 'own.js': CLEAN });
      expect(await verdictOf(desk, atDesk)).toBe('lgtm');
      expect(botBodies(desk, atDesk).join('\n')).toMatch(/`acme\/legacy` is (?:fixed|gone)/);
    },
    STORY_MS,
  );

  test(
    'are not changed by the change under review',
    async () => {
      const files = { '.fixpoint/rules/own.yml': rule('ownCall', 'off'), 'silent.js': calls('ownCall') };
      const number = await open(desk, { branch: 'silent', files });
      expect(await verdictOf(desk, number)).toBe('feedback');
      expect(rulesIn(desk, number)).toEqual(['project/ownCall']);
      expect(botBodies(desk, number).join('\n')).toContain('.fixpoint/rules/own.yml');
    },
    STORY_MS,
  );

  test(
    'that a source adds hold from the next review on',
    async () => {
      await commitBase(organisation, { 'rules/later.yml': rule('later') });
      const number = await open(desk, { branch: 'later', files: { 'later.js': calls('later') } });
      expect(await verdictOf(desk, number)).toBe('feedback');
      expect(rulesIn(desk, number)).toEqual(['acme/later']);
    },
    STORY_MS,
  );

  test(
    'that are wrong keep a change from passing, and the summary says which',
    async () => {
      await commitBase(desk, { '.fixpoint/rules/wrong.yml': rule('wrong').replace('wrong(a)', 'right(a)') });
      const number = await open(desk, { branch: 'wrong', files: { 'wrong.js': CLEAN } });
      expect(await verdictOf(desk, number)).toBe('inconclusive');
      expect(botBodies(desk, number).join('\n')).toContain(
        'the rules of `project` have a mistake in `.fixpoint/rules/wrong.yml`: `project/wrong` does not match its example `invalid[0]`',
      );
    },
    STORY_MS,
  );

  test(
    'that cannot be read keep a change from passing, and the summary says why',
    async () => {
      const number = await open(lab, { branch: 'gone', files: { 'gone.js': CLEAN } });
      expect(await verdictOf(lab, number)).toBe('inconclusive');
      expect(botBodies(lab, number).join('\n')).toContain(
        `the rules of \`gone\` could not be read: \`${OWNER}/code-rules\` has no branch and no tag \`v9\``,
      );
    },
    STORY_MS,
  );
});

test(
  'guidelines of the organisation are part of the prompt',
  async () => {
    const number = await open(shop, { branch: 'guided', files: { 'guided.js': CLEAN } });
    expect(await verdictOf(shop, number)).toBe('lgtm');
    expect(summaryOf(shop, number).reviewed).toHaveLength(1);
    const asked = story.model.requests.filter(({ body }) => body.includes('guided.js')).map(({ body }) => body);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((body) => body.includes(STYLE) && body.includes('acme: style.md'))).not.toEqual([]);
  },
  STORY_MS,
);
