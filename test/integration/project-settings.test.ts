/** Projects with different settings: who reviews, with which model, when, for how many rounds, and what must pass. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type ModelStory, startModelStory } from '../support/model-story.ts';
import {
  botBodies,
  commitBase,
  inlineOf,
  open,
  push,
  runsOf,
  statusOf,
  summaryOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { OWNER, STORY_MS, type StoryWorld } from '../support/story-world.ts';
import { MESSAGES_WIRE } from '../support/wires.ts';

const SECTIONS = `
[[project]]
match = ["${[OWNER, '*'].join('/')}"]
operators.logins = ["lead"]

[[project]]
match = ["${OWNER}/desk"]
review = { runner = "rules", triggers = ["opened", "mention"] }
rounds = { max = 1 }
operators.logins = ["desk-lead"]

[[project]]
match = ["${OWNER}/lab"]
agent.reviewer.model = "claude-opus-5-5"
budgets.model.change_request_usd = 7
[[project.validation.command]]
name = "never"
command = ["/bin/false"]

[[project]]
match = ["${OWNER}/quiet"]
review.dry_run = true
`;

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

let story: ModelStory;
let shop: StoryWorld;
let desk: StoryWorld;
let lab: StoryWorld;
let quiet: StoryWorld;

beforeAll(async () => {
  story = await startModelStory(SECTIONS, { wire: MESSAGES_WIRE, moreRepos: ['desk', 'lab', 'quiet'] });
  story.model.script(seededReviewer(7));
  shop = story.world;
  [desk, lab, quiet] = ['desk', 'lab', 'quiet'].map((name) => story.world.at(`${OWNER}/${name}`)) as [
    StoryWorld,
    StoryWorld,
    StoryWorld,
  ];
  for (const each of [desk, lab, quiet]) await commitBase(each, { 'README.md': textOf('# A project') });
}, STORY_MS);
afterAll(async () => story?.finish(), STORY_MS);

/** The models that were asked about a file. */
const modelsFor = (path: string): readonly string[] => [
  ...new Set(
    story.model.requests.filter(({ body }) => body.includes(path)).map(({ request }) => request?.model ?? 'none'),
  ),
];

describe.sequential('a project', () => {
  test(
    'without a section of its own is reviewed as the installation says',
    async () => {
      const number = await open(shop, { branch: 'plain', files: { 'plain-shop.js': CLEAN } });
      expect(await verdictOf(shop, number)).toBe('lgtm');
      expect(modelsFor('plain-shop.js')).toEqual(['claude-sonnet-5-5']);
    },
    STORY_MS,
  );

  test(
    'with the runner "rules" never reaches a model',
    async () => {
      const number = await open(desk, { branch: 'rules', files: { 'only-rules.js': BAD } });
      expect(await verdictOf(desk, number)).toBe('feedback');
      expect(inlineOf(desk, number)).toMatchObject([{ path: 'only-rules.js', rule: 'js-eval' }]);
      expect(modelsFor('only-rules.js')).toEqual([]);
      // The only round is used up, so the operator of the project is called.
      expect(botBodies(desk, number).join('\n')).toContain('@desk-lead');
    },
    STORY_MS,
  );

  test(
    'has triggers of its own',
    async () => {
      const number = await open(desk, { branch: 'opened', files: { 'opened.js': CLEAN } });
      expect(await verdictOf(desk, number)).toBe('lgtm');
      await push(desk, 'opened', { 'opened.js': BAD });
      await desk.calm();
      expect({ runs: await runsOf(desk, number), status: statusOf(desk, number) }).toEqual({
        runs: 1,
        status: undefined,
      });

      const other = await open(shop, { branch: 'opened', files: { 'opened.js': CLEAN } });
      expect(await verdictOf(shop, other)).toBe('lgtm');
      await push(shop, 'opened', { 'opened.js': textOf('export const two = 2;') });
      expect(await verdictOf(shop, other)).toBe('lgtm');
      expect(await runsOf(shop, other)).toBe(2);
    },
    STORY_MS,
  );

  test(
    'has a model, a budget and validation commands of its own',
    async () => {
      const number = await open(lab, { branch: 'model', files: { 'other-model.js': CLEAN } });
      // Without a cage the command cannot run; with one it fails. Neither passes.
      expect(['feedback', 'inconclusive']).toContain(await verdictOf(lab, number));
      expect(modelsFor('other-model.js')).toEqual(['claude-opus-5-5']);
      expect(botBodies(lab, number).join('\n')).toContain('never');
      expect(botBodies(lab, number).join('\n')).toMatch(/this change request \S+ of \S+7 /);
      expect(summaryOf(lab, number).reviewed).toHaveLength(1);
    },
    STORY_MS,
  );

  test(
    'can be reviewed without a word on the forge',
    async () => {
      const number = await open(quiet, { branch: 'dry', files: { 'dry.js': BAD } });
      await quiet.decided(number, /./);
      await quiet.calm();
      expect({ said: botBodies(quiet, number), status: statusOf(quiet, number) }).toEqual({
        said: [],
        status: undefined,
      });
      expect(modelsFor('dry.js')).toEqual(['claude-sonnet-5-5']);
    },
    STORY_MS,
  );
});
