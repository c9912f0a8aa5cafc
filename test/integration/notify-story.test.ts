/** What the operator's receivers get while the services work: each thing once. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../services/poster/notify/receiver.ts';
import { commitBase, kindsOf, open, push, switchHooksOff, textOf, verdictOf } from '../support/story.ts';
import {
  eventually,
  REPO,
  STORY_MS,
  startStoryWorld,
  type StoryWish,
  type StoryWorld,
} from '../support/story-world.ts';

const BAD = textOf('export const run = (text) => eval(text);');

/** By itself: in one piece it looks like the beginning of a comment. */
const ALL = '*';

const HOOKS = `
[[notify]]
name = "program"
kind = "json"
url_env = "PROGRAM_URL"
secret_env = "PROGRAM_SECRET"

[[notify]]
name = "chat"
kind = "matrix"
url_env = "CHAT_URL"
projects = ["shop-team/${ALL}"]

[[notify]]
name = "others"
kind = "slack"
url_env = "OTHERS_URL"
projects = ["somebody-else/${ALL}"]
`;

type Play = {
  readonly world: StoryWorld;
  readonly program: Receiver;
  readonly chat: Receiver;
  readonly others: Receiver;
};

const playing = async (
  work: (play: Play) => Promise<void>,
  { review, more = '' }: Pick<StoryWish, 'review' | 'more'> = {},
): Promise<void> => {
  const newPath = (): string => `/hooks/${randomBytes(12).toString('hex')}`;
  const [program, chat, others] = await Promise.all([newPath(), newPath(), newPath()].map(startReceiver));
  if (program === undefined || chat === undefined || others === undefined) throw new Error('three were started');
  const world = await startStoryWorld({
    more: `${more}\n${HOOKS}`,
    env: {
      PROGRAM_URL: program.url,
      PROGRAM_SECRET: ['whsec', randomBytes(32).toString('base64')].join('_'),
      CHAT_URL: chat.url,
      OTHERS_URL: others.url,
    },
    ...(review === undefined ? {} : { review }),
  });
  try {
    await commitBase(world, { 'README.md': '# Shop\n' });
    await work({ world, program, chat, others });
  } finally {
    await world.finish();
    await Promise.all([program.close(), chat.close(), others.close()]);
  }
};

const playToTheCap = async (world: StoryWorld): Promise<number> => {
  const number = await open(world, { branch: 'stubborn', files: { 'stubborn.js': BAD } });
  await verdictOf(world, number);
  // Rounds are reviews that ask: each push brings a defect of its own.
  for (const files of [{ 'more.js': BAD }, { 'third.js': BAD }, { 'README.md': '# The shop\n' }]) {
    await push(world, 'stubborn', files);
    await verdictOf(world, number);
  }
  return number;
};

test(
  'a hand-off is told once to everybody whom it concerns, also when its comment is edited for a later head',
  async () =>
    playing(async ({ world, program, chat, others }) => {
      const number = await playToTheCap(world);
      expect(kindsOf(world, number).filter((kind) => kind === 'handoff')).toHaveLength(1);
      await eventually('both messages', () => program.received.length > 0 && chat.received.length > 0);
      await world.calm();
      const [message, ...more] = program.received.map(({ body }) => JSON.parse(body));
      expect(more).toEqual([]);
      expect(message).toMatchObject({
        type: 'fixpoint.handoff',
        data: {
          title: `A review needs a person: ${REPO}#${number}`,
          forge: 'sim',
          project: REPO,
          changeRequest: number,
          url: expect.stringMatching(new RegExp(`/${REPO}/pulls/${number}$`)),
          reason: 'max_rounds_exceeded',
          completedReviews: 3,
        },
      });
      expect(chat.received.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([['text', 'html']]);
      expect(others.received).toEqual([]);
    }),
  STORY_MS,
);

test(
  'a dry run tells of no comment that was not written',
  async () =>
    playing(
      async ({ world, program }) => {
        const number = await open(world, { branch: 'dry', files: { 'dry.js': BAD } });
        await world.decided(number, /^review 1 is posted$/);
        await world.calm();
        expect(program.received).toEqual([]);
      },
      { review: 'dry_run = true', more: '[rounds]\nmax = 1' },
    ),
  STORY_MS,
);

test(
  'a webhook that the forge has switched off is told of',
  async () =>
    playing(async ({ world, program }) => {
      world.sim.addCollaborator(REPO, 'fixpoint', 'admin');
      await world.sweep();
      expect(program.received).toEqual([]);
      await switchHooksOff(world);
      await world.redis.del(`{fixpoint}:forge:sim:hooks`);
      await world.sweep();
      await eventually('the message', () => program.received.length > 0);
      expect(program.received.map(({ body }) => JSON.parse(body))).toMatchObject([
        { type: 'fixpoint.webhook_dead', data: { project: REPO, health: 'disabled', changeRequest: null } },
      ]);
    }),
  STORY_MS,
);
