/** The blocks of README and the guide as a reader runs them, in order, in a fresh clone. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChatSim } from '../../sim/chat/start.ts';
import { seededReviewer } from '../../sim/messages/seeded-reviewer.ts';
import { startMessagesSim } from '../../sim/messages/start.ts';
import { REPO } from '../../sim/demo/forge.ts';
import { ROOT } from '../../support/built.ts';
import { type Block, commandsOf, type Need, placeOf, readBlocks, shellBlocks } from './blocks.ts';
import { type Checkout, cloneProject } from './checkout.ts';
import { fillInSettings } from './installation.ts';
import { runBlock, type RunOptions, startBlock } from './run-block.ts';
import { makeSample } from './sample.ts';
import { installPacked } from './unpack.ts';

const LIMIT = { timeout: 150_000 };

/** The model of the server in the guide. */
const LARGE = {
  id: 'large',
  contextTokens: 128_000,
  minCacheTokens: 1_024,
  prices: [{ upToTokens: Number.POSITIVE_INFINITY, inputUsd: 0.5, outputUsd: 1.5 }],
};

const BLOCKS = readBlocks(ROOT);
const needing = (need: Need): readonly Block[] => shellBlocks(BLOCKS, `needs=${need}`);
const named = (blocks: readonly Block[]) => blocks.map((block) => [placeOf(block), block] as const);
const isOf = (part: string) => (block: Block) => commandsOf(block).some((command) => command.includes(part));

const isOnPage =
  (page: string) =>
  (block: Block): boolean =>
    placeOf(block).includes(page);

let checkout: Checkout;
let sample: string;

beforeAll(() => {
  checkout = cloneProject();
  sample = makeSample(path.join(checkout.folder, '..', 'sample'));
});
afterAll(() => checkout?.remove());

const run = (block: Block, more: Partial<RunOptions> = {}): Promise<string> =>
  runBlock(block, { cwd: checkout.folder, env: checkout.env, ...more });

/** What a block must have printed that has this command. */
const PRINTED: readonly (readonly [string, RegExp])[] = [
  ['npm run demo', /Review 3 of [0-9a-f]{10}: lgtm/],
  ['-- bound ', /^US dollars +25 /m],
  ['-- review --worktree', /eval runs a computed string as code[^]*exit code 1$/m],
  ['-- loop ', /^done$/m],
  ['-- eval report rules-run', /^ {2}false-clean rate +\d+\.\d %/m],
  ['-- eval report rounds-run', /^ {2}repeats over reviews +0\.00/m],
];

const patternsFor = (block: Block): readonly RegExp[] =>
  PRINTED.filter(([part]) => isOf(part)(block)).map(([, pattern]) => pattern);

describe('what needs nothing', () => {
  const blocks = shellBlocks(BLOCKS, 'run');

  it('is committed as it is here', () => {
    const committed = shellBlocks(readBlocks(checkout.folder), 'run');
    expect(committed.map(({ text }) => text)).toEqual(blocks.map(({ text }) => text));
  });

  it.each(named(blocks))('F-F1: %s can be run where it stands', LIMIT, async (_, block) => {
    const printed = await run(block);
    for (const pattern of patternsFor(block)) expect(printed).toMatch(pattern);
  });

  it('holds every command whose output is known', () => {
    for (const [part] of PRINTED) expect(blocks.filter(isOf(part))).not.toEqual([]);
  });
});

const inOneTerminal = (blocks: readonly Block[]): Block => {
  const [first] = blocks;
  if (first === undefined) throw new Error('there is no block');
  return { ...first, text: blocks.map(({ text }) => text).join('\n') };
};

describe('what needs a forge', () => {
  it('runs against a simulated one', LIMIT, async () => {
    const [start, ...checks] = needing('forge').filter(isOnPage('quickstart.md'));
    const ways = needing('forge').filter(isOnPage('command-line.md'));
    expect(1 + checks.length + ways.length).toBe(needing('forge').length);
    if (start === undefined || !isOf('npm start')(start)) throw new Error('npm start does not come first');
    const { forge, addWebhook, reviewOne } = await fillInSettings(checkout.folder);
    const services = startBlock(start, { cwd: checkout.folder, env: checkout.env });
    try {
      await services.printed(/ingress listens/);
      addWebhook();
      await reviewOne();
      const [, project = ''] = /:(\d+)/.exec(await services.printed(/"project":\d+/)) ?? [];
      const variables = { CHANGE_REQUEST: `forgejo/${project}/1` };
      const printed = await run(inOneTerminal(checks), { variables });
      expect(printed).toMatch(/the bot is fixpoint[^]*0 failures[^]*announce: review 1[^]*type: review_feedback/);
      const url = `${forge.url}/${REPO}/pulls/1`;
      const reviewed = await run(inOneTerminal(ways), { variables: { CHANGE_REQUEST: url } });
      expect(reviewed).toMatch(/review 1, posted before[^]*exit code 1[^]*review 1, posted before[^]*exit code 1/);
    } finally {
      services.interrupt();
      await services.ended;
      await forge.close();
    }
  });
});

const reviews = needing('model').filter(isOf('-- review '));
const isOfServer = isOf('--provider openai');

describe('what needs a model', () => {
  it.each(named(reviews.filter(isOfServer)))('%s runs against a simulated server', LIMIT, async (_, block) => {
    const sim = await startChatSim({ models: [LARGE] });
    try {
      sim.script(seededReviewer(1));
      const env = { ...checkout.env, HOUSE_MODEL_KEY: sim.apiKey };
      const variables = { REPOSITORY: sample, MODEL_URL: sim.url };
      expect(await run(block, { env, variables })).toContain('lgtm');
      expect(sim.requests.length).toBeGreaterThan(0);
      expect(sim.violations).toEqual([]);
    } finally {
      await sim.close();
    }
  });

  it('shows a server with chat completions', () => {
    expect(reviews.filter(isOfServer)).toHaveLength(1);
  });

  it.each(named(reviews.filter((block) => !isOfServer(block))))(
    '%s runs against a simulated one',
    LIMIT,
    async (_, block) => {
      const sim = await startMessagesSim();
      try {
        sim.script(seededReviewer(1));
        const env = { ...checkout.env, ANTHROPIC_API_KEY: sim.apiKey, ANTHROPIC_BASE_URL: sim.url };
        expect(await run(block, { env, variables: { REPOSITORY: sample } })).toContain('lgtm');
        expect(sim.violations).toEqual([]);
      } finally {
        await sim.close();
      }
    },
  );
});

describe('what needs the published package', () => {
  it('runs with the one that npm pack makes', LIMIT, async () => {
    const { project, tarball, prelude } = installPacked(checkout);
    const blocks = needing('published');
    for (const block of blocks) {
      const printed = await run(block, { cwd: project, prelude, variables: { FIXPOINT: tarball, REPOSITORY: sample } });
      if (isOf('--version')(block)) expect(printed).toMatch(/^\d+\.\d+\.\d+$/m);
      if (isOf('fixpoint review')(block)) expect(printed.match(/lgtm/g)?.length).toBeGreaterThanOrEqual(3);
    }
    expect(blocks.length).toBeGreaterThan(1);
  });
});
