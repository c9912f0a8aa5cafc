/** Rounds on a simulated Forgejo with the Claude Code CLI as reviewer, and a validation command of the operator. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findRepo } from '../sim/forgejo/find.ts';
import { runGit } from '../sim/forgejo/git.ts';
import { UNCAGED } from '../support/author-command.ts';
import { findTestCage } from '../support/cage.ts';
import { makeClaudeStandIn, type StandIn } from '../support/claude-stand-in.ts';
import {
  botBodies,
  commitBase,
  finalStatusOf,
  inlineOf,
  kindsOf,
  open,
  push,
  statusOf,
  summaryOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { eventually, REPO, startStoryWorld, STORY_MS, type StoryWorld } from '../support/story-world.ts';

const { cage, why, dispose } = await findTestCage();
afterAll(dispose);

const WRONG = 'export const sum = (a, b) => a - b;';
const RIGHT = 'export const sum = (a, b) => a + b;';
const FINDING = {
  path: 'sum.js',
  line: 1,
  severity: 'P1',
  title: 'The sum is a difference',
  body: 'It subtracts, so that every bill is wrong.',
  evidence: WRONG,
};
const NOTHING = { summary: 'Nothing more.', findings: [], not_reviewed: [], notes: '' };
const MODEL = { apiKey: ['story', 'cli', 'key', '0123456789'].join('-'), url: 'http://127.0.0.1:1' };
const GATE = `[validation]
command = [{ name = "sums add", command = ["/bin/sh", "-c", "cat *.js; grep -q 'a + b' sum.js"], projects = ["shop-team/*"] }]
`;

let folder: string;
let cli: StandIn;
let world: StoryWorld | null;

beforeEach(async () => {
  world = null;
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-story-cli-'));
  cli = await makeClaudeStandIn(folder, []);
});
afterEach(async () => {
  await world?.finish();
  await rm(folder, { recursive: true, force: true });
}, STORY_MS);

const start = async (more = ''): Promise<StoryWorld> => {
  world = await startStoryWorld({ model: MODEL, claudeCode: cli.program, more });
  await commitBase(world, { 'README.md': textOf('# Shop') });
  return world;
};

test(
  'a finding of the CLI opens a thread, and its next round, in the same conversation, resolves it',
  async () => {
    const answers = { 'F-001': { stance: 'accepts', action: 'resolve', body: 'It adds now.' } };
    await cli.plan([
      { does: 'hand_in', review: { ...NOTHING, summary: 'A sum.', findings: [FINDING] } },
      { does: 'hand_in', review: { ...NOTHING, answers } },
    ]);
    const story = await start();
    const number = await open(story, { branch: 'sum', files: { 'sum.js': textOf(WRONG) } });
    expect(await verdictOf(story, number)).toBe('feedback');
    expect(inlineOf(story, number)).toMatchObject([{ id: 'F-001', path: 'sum.js', line: 1, state: 'open' }]);
    await push(story, 'sum', { 'sum.js': textOf(RIGHT) });
    expect(await verdictOf(story, number)).toBe('lgtm');
    expect(statusOf(story, number)).toBe('success');
    const [first, second] = cli.calls();
    expect(second?.argv[second.argv.indexOf('--resume') + 1]).toBe(first?.argv[first.argv.indexOf('--session-id') + 1]);
    expect(second?.stdin).toContain('F-001');
    expect(summaryOf(story, number).spent).toMatchObject({ modelCalls: 2, inputTokens: 2000, outputTokens: 200 });
  },
  STORY_MS,
);

test(
  'a CLI that breaks in every attempt ends in a hand-off and no verdict',
  async () => {
    await cli.plan([{ does: 'exit', code: 1 }]);
    const story = await start();
    const number = await open(story, { branch: 'broken', files: { 'a.js': textOf('export const a = 1;') } });
    expect(await finalStatusOf(story, number)).toBe('error');
    // No summary stood before, so the hand-off alone says that there is no verdict.
    expect(kindsOf(story, number)).toEqual(['handoff']);
    expect(botBodies(story, number).join('\n')).toContain('**Not reviewed**');
    expect(cli.calls()).toHaveLength(2);
  },
  STORY_MS,
);

// Other tests check the CLI's input and permissions as an author; this one checks that the services start it.
test.runIf(process.env['FIXPOINT_DEEP'] === '1')(
  'a CLI that reviews and one that mends take a change to lgtm without a human, within one budget',
  async () => {
    const account = { summary: 'It adds.', addressed: ['F-001'], declined: [] };
    const answers = { 'F-001': { stance: 'accepts', action: 'resolve', body: 'It adds now.' } };
    await cli.plan([
      { does: 'hand_in', review: { ...NOTHING, summary: 'A sum.', findings: [FINDING] } },
      { does: 'hand_in', review: account, writes: { 'sum.js': textOf(RIGHT) } },
      { does: 'hand_in', review: { ...NOTHING, answers } },
    ]);
    const story = await start(`[author]\nenabled = true\nagent = "claude-code"\n${UNCAGED}`);
    const number = await open(story, { branch: 'sum', files: { 'sum.js': textOf(WRONG) } });
    await eventually('lgtm', () => statusOf(story, number) === 'success');
    await story.calm();
    const spent = { modelCalls: 3, inputTokens: 3000, outputTokens: 300 };
    expect(summaryOf(story, number)).toMatchObject({ verdict: 'lgtm', review: 2, fixes: 1, spent });
    const [, mender] = cli.calls();
    expect(mender?.argv[mender.argv.indexOf('--tools') + 1]).toBe('Read,Grep,Edit,Write');
    expect(Object.keys(mender?.tree ?? {}).toSorted()).toEqual(['README.md', 'sum.js']);
    const { gitDir } = findRepo(story.sim.world, REPO);
    expect(await runGit(gitDir, ['log', '-1', '--format=%B', 'refs/heads/sum'])).toContain('Fixpoint-Finding: F-001\n');
    expect(await runGit(gitDir, ['show', 'refs/heads/sum:sum.js'])).toBe(textOf(RIGHT));
  },
  STORY_MS,
);

describe.skipIf(cage === null)(`a validation command${why}`, () => {
  test(
    'that fails keeps a clean review from passing, lets the repaired head pass, and runs again where that is carried',
    async () => {
      await cli.plan([{ does: 'hand_in', review: NOTHING }]);
      const story = await start(GATE);
      const number = await open(story, { branch: 'gate', files: { 'sum.js': textOf(WRONG) } });
      expect(await verdictOf(story, number)).toBe('feedback');
      const said = botBodies(story, number).join('\n');
      expect(said).toContain('validation has failed: `sums add`');
      expect(said).toMatch(/`sums add` \*\*failed\*\* \(\d+\.\d s\)/);
      await push(story, 'gate', { 'sum.js': textOf(RIGHT) });
      expect(await verdictOf(story, number)).toBe('lgtm');
      expect(botBodies(story, number).join('\n')).toMatch(/`sums add` passed/);
      // The same content at another head is not reviewed again, but the command runs again.
      const reviews = cli.calls().length;
      await push(story, 'gate', {});
      expect(await verdictOf(story, number)).toBe('lgtm');
      const summary = botBodies(story, number).find((body) => body.includes('the same content as'));
      expect(summary).toMatch(/`sums add` passed/);
      expect(cli.calls()).toHaveLength(reviews);
    },
    STORY_MS,
  );
});

test(
  'a validation command on a machine without a cage is not run, and leaves no verdict',
  async () => {
    await cli.plan([{ does: 'hand_in', review: NOTHING }]);
    const story = await start(`${GATE}${UNCAGED}`);
    const number = await open(story, { branch: 'uncaged', files: { 'sum.js': textOf(RIGHT) } });
    expect(await verdictOf(story, number)).toBe('inconclusive');
    expect(botBodies(story, number).join('\n')).toContain('validation could not be run: `sums add`');
  },
  STORY_MS,
);
