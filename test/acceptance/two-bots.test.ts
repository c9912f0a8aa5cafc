/** Our reviewer and author next to a bot that answers everything with commands; and our own messages sent back to us. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createKeys } from '../../shared/store/keys.ts';
import { type AuthorCommand, makeAuthorCommand, UNCAGED } from '../support/author-command.ts';
import { usually } from '../support/deep.ts';
import { commitBase, kindsOf, open, summaryOf, textOf } from '../support/story.ts';
import { BOT, eventually, OUTSIDER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';
import { shuffled } from './shuffled.ts';

const STEPS = process.env['FIXPOINT_DEEP'] === '1' ? 1000 : 60;
const PATIENCE_MS = process.env['FIXPOINT_DEEP'] === '1' ? 1_800_000 : STORY_MS;

const OTHER = 'eager-bot';

/** Fixes nothing, and adds another defect each time. */
const MAKES_WORSE = `
const file = input.findings[0].path;
const text = fs.readFileSync(file, 'utf8');
fs.writeFileSync(file, text + 'export const again' + text.length + ' = (text) => eval(text + ' + text.length + ');\\n');
`;

const ROUNDS = 3;
const BAD = { 'one.js': textOf('export const one = (text) => eval(text);') };

/** Each would be a command if a commander wrote it. */
const CALLS = ['review', 'review --full', 'fix', 'resume', 'please look again'];

let world: StoryWorld | null = null;
let author: AuthorCommand | null = null;

const begin = async (): Promise<{ readonly stage: StoryWorld; readonly number: number }> => {
  author = await makeAuthorCommand(MAKES_WORSE);
  const stage = await startStoryWorld({ more: `${author.toml}${UNCAGED}`, otherBots: [OTHER] });
  world = stage;
  await commitBase(stage, { 'README.md': '# Shop\n' });
  return { stage, number: await open(stage, { branch: 'change', files: BAD }) };
};

afterEach(async () => {
  await world?.finish();
  world = null;
}, PATIENCE_MS);
afterAll(async () => author?.dispose());

/** Our oldest inline comment without a reply; null when there is none. */
const unanswered = ({ sim }: StoryWorld, number: number, answered: Set<number>) => {
  const word = sim
    .pullAt({ repo: REPO, number })
    .comments.find(({ id, author: by }) => by.login === BOT && !answered.has(id));
  if (word === undefined) return null;
  answered.add(word.id);
  return word.code === null ? null : word.id;
};

type Pump = { readonly stage: StoryWorld; readonly number: number; readonly as: string; readonly steps: number };

/** One message per step: a reply in our thread if one is unanswered, otherwise an ordinary comment. */
const pump = async ({ stage, number, as, steps }: Pump): Promise<void> => {
  const answered = new Set<number>();
  for (let step = 0; step < steps; step += 1) {
    const body = `@${BOT} ${CALLS[step % CALLS.length] ?? ''}`;
    const to = unanswered(stage, number, answered);
    if (to === null) stage.sim.comment({ repo: REPO, number, as, body });
    else await stage.sim.replyInline({ repo: REPO, number, as, to, body });
    // Waits for webhooks, so that messages are not merged into one event.
    if (step % 20 === 19) await stage.sim.settled();
  }
  await stage.calm();
};

const own = ({ sim }: StoryWorld) => sim.effects.filter(({ actor }) => actor === BOT).map(({ kind }) => kind);

const counts = (stage: StoryWorld, number: number) => {
  const { review, runs, fixes } = summaryOf(stage, number);
  const kinds = kindsOf(stage, number);
  return {
    rounds: review,
    runs,
    fixes,
    handoffs: kinds.filter((kind) => kind === 'handoff').length,
    answers: kinds.filter((kind) => kind === 'answer').length,
  };
};

/**
 * In each round after the first, whose review is the summary, one answer accompanies our own inline comments; no other
 * comment is answered.
 */
const AT_THE_BOUND = {
  rounds: ROUNDS,
  runs: ROUNDS,
  fixes: ROUNDS - 1,
  handoffs: 1,
  answers: ROUNDS - 1,
};

describe('X9: beside a bot that answers everything and calls ours each time', () => {
  test.each(
    usually(['unknown, and without write access', OUTSIDER], ['named by the operator, and with write access', OTHER]),
  )(
    'ours stops after R reviews and R - 1 fixes, and the other causes none (%s)',
    async (_, as) => {
      const { stage, number } = await begin();
      await pump({ stage, number, as, steps: STEPS / 2 });
      await eventually('the hand-off', () => kindsOf(stage, number).includes('handoff'));
      await stage.calm();
      expect(counts(stage, number)).toEqual(AT_THE_BOUND);
      const said = own(stage);
      await pump({ stage, number, as, steps: STEPS / 2 });
      await stage.sweep();
      expect(own(stage)).toEqual(said);
      expect(counts(stage, number)).toEqual(AT_THE_BOUND);
    },
    PATIENCE_MS,
  );
});

/** Deletes the memory of deliveries, as after a day. */
const forgetDeliveries = async ({ redis }: StoryWorld): Promise<void> => {
  const remembered = await redis.keys(`${createKeys('fixpoint').dedupKey('')}*`);
  expect(remembered.length).toBeGreaterThan(0);
  await redis.del(remembered);
};

describe('X8: everything that our own writes have caused', () => {
  test(
    'leads to no job, no request and no word when it is delivered three times more, in any order',
    async () => {
      const { stage, number } = await begin();
      await eventually('the hand-off', () => kindsOf(stage, number).includes('handoff'));
      await stage.calm();
      const echoes = stage.sim.deliveries.filter(({ body }) => JSON.parse(body).sender.id === stage.botId);
      expect(new Set(echoes.map(({ eventType }) => eventType)).size).toBeGreaterThan(1);
      await forgetDeliveries(stage);
      const before = { said: own(stage), counts: counts(stage, number), steps: await stage.decisions(number) };
      for (const { uuid } of shuffled([...echoes, ...echoes, ...echoes], 8)) stage.sim.replay(uuid);
      await stage.calm();
      const ordered = (await stage.decisions(number))
        .slice(before.steps.length)
        .filter(({ effect }) => effect !== 'nothing');
      expect(ordered).toEqual([]);
      expect({ said: own(stage), counts: counts(stage, number) }).toEqual({
        said: before.said,
        counts: before.counts,
      });
    },
    PATIENCE_MS,
  );
});
