/** One change request through its rounds, with disturbances by people. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  botBodies,
  commitBase,
  inlineOf,
  kindsOf,
  open,
  push,
  runsOf,
  statusOf,
  summaryOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import {
  AUTHOR,
  BOT,
  OUTSIDER,
  OWNER,
  REPO,
  STORY_MS,
  startStoryWorld,
  type StoryWorld,
  eventually,
} from '../support/story-world.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');
const REWORDED = textOf('export const run = (words) => eval(words);');
const AGAIN = textOf('export const run = (script) => eval(script);');
const WORSE = textOf('export const run = (text) => eval(text);', 'export const one = 1;');

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ more: '[limits]\nrunning_per_project = 4' });
  await commitBase(world, { 'README.md': '# Shop\n' });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const reviewed = async (branch: string, content: string): Promise<number> => {
  const number = await open(world, { branch, files: { [`${branch}.js`]: content } });
  await verdictOf(world, number);
  return number;
};

/** Sends deliveries about a change request again, each with a new id. */
const replay = async (number: number, wanted: (senderId: number) => boolean): Promise<number> => {
  const about = world.sim.deliveries.filter(({ body }) => {
    const payload = JSON.parse(body);
    return wanted(payload.sender.id) && (payload.number ?? payload.issue?.number) === number;
  });
  for (const { uuid } of about) world.sim.replay(uuid);
  await world.calm();
  return about.length;
};

describe.sequential('a change request under review', () => {
  test(
    'is not touched by the events that the bot itself causes',
    async () => {
      const number = await reviewed('own', BAD);
      const before = { requests: world.sim.requests.length, decisions: (await world.decisions(number)).length };
      expect(await replay(number, (sender) => sender === world.botId)).toBeGreaterThan(0);
      expect({ requests: world.sim.requests.length, decisions: (await world.decisions(number)).length }).toEqual(
        before,
      );
      expect(await runsOf(world, number)).toBe(1);
    },
    STORY_MS,
  );

  test(
    'is reviewed once per head, whatever comes again',
    async () => {
      const number = await reviewed('twice', BAD);
      const said = botBodies(world, number);
      expect(await replay(number, (sender) => sender !== world.botId)).toBeGreaterThan(0);
      world.sim.setState({ repo: REPO, number, as: AUTHOR }, 'closed');
      world.sim.setState({ repo: REPO, number, as: AUTHOR }, 'open');
      await world.decided(number, /^this input already has its verdict$/);
      await world.calm();
      expect(await runsOf(world, number)).toBe(1);
      expect(botBodies(world, number)).toEqual(said);
    },
    STORY_MS,
  );

  test(
    'gets no second review of a head that is pushed back',
    async () => {
      const number = await reviewed('back', BAD);
      const { head } = world.sim.snapshot(REPO, number);
      await push(world, 'back', { 'back.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('lgtm');
      await world.sim.moveBranch({ repo: REPO, branch: 'back', to: head, as: AUTHOR });
      await world.decided(number, /^this input already has its verdict$/);
      await world.calm();
      expect(await runsOf(world, number)).toBe(2);
      expect(statusOf(world, number)).toBe('failure');
    },
    STORY_MS,
  );

  test(
    'hears a claim again in round 2, hands it to a human in round 3, and is handed off at the cap',
    async () => {
      const number = await reviewed('stubborn', BAD);
      await push(world, 'stubborn', { 'stubborn.js': REWORDED });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(summaryOf(world, number)).toMatchObject({ rounds: 2, ledger: [{ state: 'open', count: 1 }] });
      await push(world, 'stubborn', { 'README.md': '# The shop\n' });
      expect(await verdictOf(world, number)).toBe('feedback');
      // Nothing happened to the thread: nothing is said in it, and the review is silent.
      expect(summaryOf(world, number)).toMatchObject({ rounds: 2, silent: 1, ledger: [{ state: 'open', count: 1 }] });
      await push(world, 'stubborn', { 'stubborn.js': AGAIN });
      await eventually('the last round', () => summaryOf(world, number).rounds === 3);
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(summaryOf(world, number)).toMatchObject({ rounds: 3, ledger: [{ state: 'vetoed', count: 2 }] });
      expect(kindsOf(world, number).filter((kind) => kind === 'handoff')).toHaveLength(1);
      await push(world, 'stubborn', { 'more.js': WORSE });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(summaryOf(world, number)).toMatchObject({ rounds: 3, ledger: [{ state: 'vetoed' }, { state: 'open' }] });
      await push(world, 'stubborn', { 'stubborn.js': CLEAN, 'more.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('lgtm');
    },
    STORY_MS,
  );

  test(
    'keeps a finding in the summary when its comment was deleted, and does not say it again',
    async () => {
      const number = await reviewed('deleted', BAD);
      const comment = world.sim.pullAt({ repo: REPO, number }).comments.find(({ kind }) => kind === 'code');
      world.sim.changeComment({ repo: REPO, id: comment?.id ?? 0, as: OWNER, body: null });
      expect(inlineOf(world, number)).toEqual([]);
      await push(world, 'deleted', { 'other.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(inlineOf(world, number)).toEqual([]);
      expect(summaryOf(world, number).ledger).toMatchObject([{ id: 'F-001', state: 'open', path: 'deleted.js' }]);
    },
    STORY_MS,
  );

  test(
    'gets a new summary, once, when somebody has deleted it',
    async () => {
      const number = await reviewed('unsaid', BAD);
      const { comments } = world.sim.pullAt({ repo: REPO, number });
      const summary = comments.find(({ kind, author }) => kind === 'review' && author.login === BOT);
      world.sim.changeComment({ repo: REPO, id: summary?.id ?? 0, as: OWNER, body: null });
      expect(kindsOf(world, number)).not.toContain('summary');
      await push(world, 'unsaid', { 'more.js': WORSE });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(summaryOf(world, number).ledger).toMatchObject([{ id: 'F-001' }, { id: 'F-002', path: 'more.js' }]);
      await push(world, 'unsaid', { 'unsaid.js': CLEAN, 'more.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(inlineOf(world, number).map(({ id }) => id)).toEqual(['F-001', 'F-002']);
    },
    STORY_MS,
  );

  test(
    'P9: is not impressed by markers that a user copies',
    async () => {
      const number = await reviewed('copied', BAD);
      const copied = botBodies(world, number);
      for (const body of copied) world.sim.comment({ repo: REPO, number, as: OUTSIDER, body });
      const forged = botBodies(world, number).map((body) =>
        body.replace(/\.[0-9a-f]{32} -->/, `.${'0'.repeat(32)} -->`),
      );
      for (const body of forged) world.sim.comment({ repo: REPO, number, as: AUTHOR, body });
      await push(world, 'copied', { 'copied.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(summaryOf(world, number)).toMatchObject({ review: 2, verdict: 'lgtm', ledger: [{ state: 'resolved' }] });
      expect(kindsOf(world, number)).not.toContain('handoff');
      const { comments } = world.sim.snapshot(REPO, number);
      const copies = comments.filter(({ author }) => author !== BOT).map(({ body }) => body);
      expect(copies).toEqual([...copied, ...forged]);
    },
    STORY_MS,
  );

  test(
    'is reviewed no further once it is closed',
    async () => {
      const close = (): void => {
        const newest = world.sim.world.repos.flatMap(({ pulls }) => pulls).at(-1);
        world.sim.setState({ repo: REPO, number: newest?.number ?? 0, as: AUTHOR }, 'closed');
      };
      world.sim.fault({ path: /info\/refs/ }, { kind: 'meanwhile', task: close });
      const number = await open(world, { branch: 'closed', files: { 'closed.js': BAD } });
      await world.decided(number, /^the change request is closed$/);
      await world.calm();
      expect({ inline: inlineOf(world, number), status: statusOf(world, number) }).toEqual({
        inline: [],
        status: 'error',
      });
    },
    STORY_MS,
  );

  test(
    'is found by the sweep when its webhook was lost',
    async () => {
      world.sim.setDeliveryFilter(() => 'drop');
      const number = await open(world, { branch: 'lost', files: { 'lost.js': BAD } });
      await world.calm();
      expect(await runsOf(world, number)).toBe(0);
      await world.sweep();
      expect(await verdictOf(world, number)).toBe('feedback');
      await world.sweep();
      expect(await runsOf(world, number)).toBe(1);
      world.sim.setDeliveryFilter(() => 'send');
    },
    STORY_MS,
  );

  test(
    'shows a rewrite where a rule has a safe one, in the body and on the page',
    async () => {
      const files = { 'shop.test.js': textOf("it.only('adds', () => {", '  expect(1 + 1).toBe(2);', '});') };
      const number = await open(world, { branch: 'focused', files });
      expect(await verdictOf(world, number)).toBe('feedback');
      const body = botBodies(world, number).find((each) => each.includes('js-focused-test')) ?? '';
      expect(body).toContain("\nInstead of line 1:\n\n```\nit('adds', () => {\n```\n");
      const page = await (await fetch(`${world.sim.url}/${REPO}/pulls/${number}`)).text();
      expect(page).toContain("<pre><code>it('adds', () =&gt; {</code></pre>");
    },
    STORY_MS,
  );
});
