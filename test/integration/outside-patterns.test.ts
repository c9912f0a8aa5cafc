/** External programs by pattern: who is asked for a review and told of it, and what happens when a project moves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken, type OutsideClient } from '../support/outside-settings.ts';
import {
  feedback,
  finding,
  hear,
  hearRequest,
  lgtm,
  type Said,
  type Speaker,
  speakerOverHttp,
} from '../support/outside.ts';
import { commitBase, open, push, textOf, verdictOf } from '../support/story.ts';
import { AUTHOR, OWNER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const LEAKY = textOf('export const read = () => open();');
const CLOSED = textOf('export const read = () => using(open());');

const client = (name: string, role: OutsideClient['role'], ...names: readonly string[]): OutsideClient => ({
  name,
  role,
  token: makeToken(),
  match: names.map((each) => `${OWNER}/${each}`),
});

let shop: StoryWorld;
let desk: StoryWorld;
let rex: Speaker;
let dee: Speaker;
let ann: Speaker;
let eve: Speaker;

beforeAll(async () => {
  const clients = [
    client('rex', 'reviewer', 'shop'),
    client('dee', 'reviewer', 'desk', 'moved'),
    client('ann', 'author', '*'),
    client('eve', 'author', 'desk'),
  ];
  shop = await startStoryWorld({
    moreRepos: ['desk'],
    serves: ['shop', 'desk', 'moved'].map((each) => `${OWNER}/${each}`),
    outside: { reviews: true, clients },
  });
  desk = shop.at(`${OWNER}/desk`);
  [rex, dee, ann, eve] = clients.map(({ name, token = '' }) => speakerOverHttp(shop.ingressUrl, name, token)) as [
    Speaker,
    Speaker,
    Speaker,
    Speaker,
  ];
  await commitBase(shop, { 'README.md': textOf('# Shop') });
  await commitBase(desk, { 'README.md': textOf('# Desk') });
}, STORY_MS);

afterAll(async () => shop?.finish(), STORY_MS);

const LEAK = finding({
  id: 'R-001',
  file: 'read.js',
  line: 1,
  repro: 'The file is never closed.',
  evidence: 'open()',
  recommendation: 'Close it when it has been read.',
});

const channelsOf = async (speaker: Speaker): Promise<readonly string[]> => [
  ...new Set((await speaker.heard()).map(({ message }) => message.channel ?? 'none')),
];

const REFUSED: Said = { status: 403, body: { error: 'this token is not allowed for this project' } };

describe.sequential('a change request', () => {
  let number = 0;

  test(
    'is reviewed by the reviewer that matches its project, and each author that matches is told',
    async () => {
      number = await open(shop, { branch: 'change', files: { 'read.js': LEAKY } });
      const asked = await hearRequest(rex);
      expect(asked.channel).toBe(`sim-${shop.projectId}`);
      expect(await dee.say(lgtm('dee', asked))).toEqual(REFUSED);
      expect((await rex.say(...feedback({ from: 'rex', to: asked, findings: [LEAK] }))).status).toBe(202);
      expect(await verdictOf(shop, number)).toBe('feedback');
      expect((await hear(ann, 'review_feedback')).message.channel).toBe(`sim-${shop.projectId}`);

      const other = await open(desk, { branch: 'change', files: { 'read.js': CLOSED } });
      const second = await hearRequest(dee);
      expect(second.channel).toBe(`sim-${desk.projectId}`);
      expect(await rex.say(lgtm('rex', second))).toEqual(REFUSED);
      expect((await dee.say(lgtm('dee', second))).status).toBe(202);
      expect(await verdictOf(desk, other)).toBe('lgtm');
      await hear(eve, 'review_lgtm');
      await hear(ann, 'review_lgtm');
      expect(await Promise.all([rex, dee, eve].map(channelsOf))).toEqual([
        [`sim-${shop.projectId}`],
        [`sim-${desk.projectId}`],
        [`sim-${desk.projectId}`],
      ]);
    },
    STORY_MS,
  );

  test(
    'goes on with another reviewer when its project has moved, and the first one sees nothing of it any more',
    async () => {
      await push(shop, 'change', { 'read.js': CLOSED });
      const asked = await hearRequest(rex, 2);
      await shop.calm();
      shop.sim.pullAt({ repo: REPO, number }).repo.name = 'moved';
      shop.sim.comment({ repo: `${OWNER}/moved`, number, as: AUTHOR, body: 'We have moved.' });
      await shop.calm();
      expect(await rex.say(lgtm('rex', asked))).toEqual(REFUSED);
      expect(await rex.heard()).toEqual([]);
      const again = await hearRequest(dee, 2);
      expect(again).toMatchObject({ channel: `sim-${shop.projectId}`, review: { round: 2 } });
      expect((await dee.say(lgtm('dee', again))).status).toBe(202);
      expect(await verdictOf(shop.at(`${OWNER}/moved`), number)).toBe('lgtm');
    },
    STORY_MS,
  );
});
