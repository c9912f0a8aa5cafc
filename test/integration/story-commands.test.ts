/** Commands by mention, with their permissions, on a simulated Forgejo. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import {
  reviewed,
  botBodies,
  commitBase,
  inlineOf,
  kindsOf,
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
  eventually,
  OUTSIDER,
  REPO,
  STORY_MS,
  startStoryWorld,
  type StoryWorld,
} from '../support/story-world.ts';

const BAD = textOf('export const run = (text) => eval(text);');
const WORSE = textOf('export const run = (text) => eval(text);', 'export const one = 1;');

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ more: '[limits]\nrunning_per_project = 4\n[rounds]\nmax = 2' });
  await commitBase(world, { 'README.md': '# Shop\n' });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const say = async (number: number, words: string, as = AUTHOR): Promise<void> => {
  world.sim.comment({ repo: REPO, number, as, body: `@${BOT} ${words}` });
  await world.calm();
};

const answers = (number: number): readonly string[] =>
  world.sim
    .snapshot(REPO, number)
    .comments.filter(({ author, body }) => author === BOT && !body.includes('<summary>Commands</summary>'))
    .map(({ body }) => stripMarkers(body).trim());

describe.sequential('a command', () => {
  test(
    'is answered once where it was given, and no setting can be changed by it',
    async () => {
      const number = await reviewed(world, 'words', BAD);
      await say(number, 'status');
      await say(number, 'help');
      await say(number, 'explain F-1');
      await say(number, 'explain F-9');
      await say(number, 'dismiss F-001');
      await say(number, 'review --model x --base_url http://evil --max_rounds 99 __openai__key=1');
      await say(number, 'review');
      await world.sweep();
      const said = answers(number);
      expect(said).toHaveLength(7);
      expect(said[0]).toContain(
        'ended with: problems to fix before merging: F-001. Reviews: 1. Rounds: 1 of 2. Runs: 1 of 12.',
      );
      expect(said[1]).toContain(`\`@${BOT} review --full\``);
      expect(said[2]).toContain('Found by the rule `js-eval`');
      expect(said[3]).toBe('This change request has no finding F-009.');
      expect(said[4]).toContain('a dismissal needs a reason');
      expect(said[5]).toContain('a comment cannot change settings');
      expect(said[6]).toContain('ended with: problems to fix before merging: F-001.');
      expect(await runsOf(world, number)).toBe(1);
    },
    STORY_MS,
  );

  test(
    'of somebody who may not command is not answered',
    async () => {
      const number = await reviewed(world, 'stranger', BAD);
      const before = botBodies(world, number);
      for (const words of ['status', 'dismiss F-001 because I say so', 'pause', 'review --full'])
        await say(number, words, OUTSIDER);
      await world.decided(number, /^the author of the comment may not give the bot commands$/);
      expect(botBodies(world, number)).toEqual(before);
      expect(summaryOf(world, number)).toMatchObject({ ledger: [{ state: 'open' }], runs: 1 });
    },
    STORY_MS,
  );

  test(
    'to dismiss a finding closes it for good, and the verdict follows',
    async () => {
      const number = await reviewed(world, 'dismissed', BAD);
      await say(number, 'dismiss F-001 because the text is our own');
      await eventually('a pass', () => statusOf(world, number) === 'success');
      await world.calm();
      expect(inlineOf(world, number)).toMatchObject([{ id: 'F-001', state: 'dismissed' }]);
      expect(summaryOf(world, number)).toMatchObject({
        verdict: 'lgtm',
        review: 1,
        runs: 1,
        ledger: [{ state: 'dismissed' }],
      });
      expect(answers(number)[0]).toContain('F-001 is dismissed and no longer blocks.');
      await world.redis.flushall();
      await push(world, 'dismissed', { 'other.js': textOf('export const one = 1;') });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(inlineOf(world, number)).toHaveLength(1);
      await push(world, 'dismissed', { 'dismissed.js': textOf('export const go = (other) => eval(other);') });
      // Its code has changed: that is another finding.
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(inlineOf(world, number)).toMatchObject([
        { id: 'F-001', state: 'dismissed' },
        { id: 'F-002', state: 'open' },
      ]);
    },
    STORY_MS,
  );

  test(
    'grants one round more where no round is left: what was only listed gets its thread',
    async () => {
      const number = await reviewed(world, 'granted', BAD);
      // Its own line is rewritten: that takes the second and last round.
      await push(world, 'granted', { 'granted.js': BAD.replaceAll('text', 'words') });
      expect(await verdictOf(world, number)).toBe('feedback');
      await push(world, 'granted', { 'third.js': WORSE });
      expect(await verdictOf(world, number)).toBe('feedback');
      // No round is left: the third review asks for nothing, and its finding is in the hand-off alone.
      expect(summaryOf(world, number)).toMatchObject({ review: 3, runs: 3, rounds: 2 });
      const threads = inlineOf(world, number).length;
      await say(number, 'review --full');
      await eventually('another round', () => summaryOf(world, number).rounds === 3);
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(summaryOf(world, number)).toMatchObject({ review: 4, runs: 4, rounds: 3, grants: 1 });
      expect(inlineOf(world, number).length).toBeGreaterThan(threads);
      expect(kindsOf(world, number).filter((kind) => kind === 'summary')).toHaveLength(1);
      await push(world, 'granted', { 'fourth.js': WORSE });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(await runsOf(world, number)).toBe(5);
    },
    STORY_MS,
  );

  test(
    'to pause lasts until it is taken back, also when Redis is lost',
    async () => {
      const number = await reviewed(world, 'paused', BAD);
      await say(number, 'pause');
      await world.redis.flushall();
      await push(world, 'paused', { 'paused.js': WORSE });
      await world.decided(number, /^reviews of this change request are paused$/);
      await world.sweep();
      await eventually('the status of a head that waits', () => statusOf(world, number) === 'pending');
      await say(number, 'resume');
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(answers(number).slice(0, 2)).toEqual([
        `Reviews of new commits are paused for this change request. Use \`@${BOT} review\` for a single review and \`@${BOT} resume\` to resume.`,
        'Reviews of new commits are resumed.',
      ]);
      expect(summaryOf(world, number)).toMatchObject({ review: 2, pauses: 2 });
    },
    STORY_MS,
  );
});
