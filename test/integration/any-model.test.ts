/** Reviews by models of other providers: without parallel calls, without caching, with a small window, and with a fallback. */
import { afterEach, expect, test } from 'vitest';
import type { Dialect } from '../sim/chat/dialect.ts';
import { type ChatSim, startChatSim } from '../sim/chat/start.ts';
import type { ChatModel } from '../sim/chat/world.ts';
import { fail } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { botBodies, commitBase, finalStatusOf, open, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { startStoryWorld, STORY_MS, type StoryWorld } from '../support/story-world.ts';
import { type ChatStage, chatStage, STAGE_PRICE } from '../support/wires.ts';

let sim: ChatSim | null = null;
let world: StoryWorld | null = null;

afterEach(async () => {
  await world?.finish();
  await sim?.close();
  [sim, world] = [null, null];
}, STORY_MS);

type Wish = { readonly dialect?: Partial<Dialect>; readonly models?: readonly ChatModel[]; readonly stage?: ChatStage };

const start = async ({ dialect = {}, models, stage = {} }: Wish): Promise<{ sim: ChatSim; world: StoryWorld }> => {
  sim = await startChatSim({ apiKeys: ['any-model-key-0123456789'], dialect, ...(models ? { models } : {}) });
  sim.script(seededReviewer(7, { reads: 3, explore: ['Who calls one() of the first file?'] }));
  world = await startStoryWorld({ model: chatStage(sim, stage) });
  await commitBase(world, { 'README.md': textOf('# Shop') });
  return { sim, world };
};

const FILES = {
  'one.js': textOf('export const one = 1; // DEFECT(P1: forgets a case)'),
  'two.js': textOf('export const two = 2;'),
  'three.js': textOf('export const three = 3;'),
};

const FREE: ChatModel = {
  id: 'small',
  contextTokens: 8_192,
  minCacheTokens: 1_024,
  prices: [{ upToTokens: Number.POSITIVE_INFINITY, inputUsd: 0, outputUsd: 0 }],
};
const free = 'input_usd = 0\noutput_usd = 0\n';

test.each<[string, Partial<Dialect>, string]>([
  [
    'one call at a time',
    { parallel: 'only-if-asked', caches: 'none', reportsCache: false },
    'parallel_tools = false\n',
  ],
  ['calls only as text, and no usage', { calls: 'text', usage: 'never', caches: 'none' }, ''],
  ['no streams, no ids and no key', { streams: false, callIds: 'none', key: 'none', calls: 'whole' }, ''],
])(
  'a model with %s finds what any other finds',
  async (_what, dialect, more) => {
    const started = await start({ dialect, stage: { more: `${STAGE_PRICE}${more}` } });
    const number = await open(started.world, { branch: 'any', files: FILES });
    expect(await verdictOf(started.world, number)).toBe('feedback');
    expect(summaryOf(started.world, number).ledger.map(({ path }) => path)).toEqual(['one.js']);
    expect(started.sim.requests.map(({ problem }) => problem).filter((problem) => problem !== null)).toEqual([]);
    expect(started.sim.violations).toEqual([]);
  },
  STORY_MS,
);

test(
  'a model with a window of 8k tokens that costs nothing reviews a small change',
  async () => {
    const stage = { more: `${free}context_tokens = 8192\n`, models: ['local/small'] };
    const started = await start({ models: [FREE], dialect: { reservesOutput: true }, stage });
    const number = await open(started.world, { branch: 'small', files: FILES });
    expect(await verdictOf(started.world, number)).toBe('feedback');
    const { spent } = summaryOf(started.world, number);
    expect([spent.costUsd, spent.modelCalls > 0]).toEqual([0, true]);
  },
  STORY_MS,
);

test(
  'a model with a window of 8k tokens says of a large change what it did not see, and passes nothing',
  async () => {
    const stage = { more: `${free}context_tokens = 8192\n`, models: ['local/small'] };
    const started = await start({ models: [FREE], dialect: { reservesOutput: true }, stage });
    const large = textOf(...Array.from({ length: 1_500 }, (_, at) => `export const value${at} = ${at};`));
    const number = await open(started.world, { branch: 'large', files: { 'large.js': large } });
    expect(await verdictOf(started.world, number)).toBe('inconclusive');
    expect(summaryOf(started.world, number).reviewed.map(({ complete }) => complete)).toEqual([false]);
  },
  STORY_MS,
);

test(
  'a model that takes over is named in the summary and counted at its price',
  async () => {
    const stage = { models: ['local/gone', 'local/claude-sonnet-5-5'] };
    const started = await start({ stage });
    const number = await open(started.world, { branch: 'fallback', files: FILES });
    expect(await verdictOf(started.world, number)).toBe('feedback');
    expect(botBodies(started.world, number).join()).toContain(
      'The model `local/gone` failed; `local/claude-sonnet-5-5` took over.',
    );
    const { spent } = summaryOf(started.world, number);
    expect(spent.costUsd).toBeCloseTo(started.sim.spend().costUsd, 3);
  },
  STORY_MS,
);

test(
  'when every model of the chain is refused, the run ends at once and says so',
  async () => {
    const started = await start({ stage: { models: ['local/gone', 'local/claude-sonnet-5-5'] } });
    started.sim.script(() => fail(403));
    const number = await open(started.world, { branch: 'none', files: FILES });
    expect(await finalStatusOf(started.world, number)).toBe('error');
    expect(started.sim.requests.length).toBeLessThan(10);
  },
  STORY_MS,
);
