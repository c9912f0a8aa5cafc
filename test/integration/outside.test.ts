/** An author and a reviewer outside, who only speak the protocol's messages: two rounds with Fixpoint between them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeToken } from '../support/outside-settings.ts';
import {
  addressed,
  feedback,
  finding,
  hear,
  hearRequest,
  lgtm,
  type Speaker,
  speakerOverHttp,
} from '../support/outside.ts';
import {
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
import { STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const LEAKY = textOf('export const read = () => open();');
const CLOSED = textOf('export const read = () => using(open());');

let world: StoryWorld;
let ann: Speaker;
let rex: Speaker;

beforeEach(async () => {
  const tokens = { ann: makeToken(), rex: makeToken() };
  world = await startStoryWorld({
    outside: {
      reviews: true,
      clients: [
        { name: 'ann', role: 'author', token: tokens.ann },
        { name: 'rex', role: 'reviewer', token: tokens.rex },
      ],
    },
  });
  ann = speakerOverHttp(world.ingressUrl, 'ann', tokens.ann);
  rex = speakerOverHttp(world.ingressUrl, 'rex', tokens.rex);
  await commitBase(world, { 'README.md': textOf('# Shop') });
}, STORY_MS);

afterEach(async () => world?.finish(), STORY_MS);

const LEAK = finding({
  id: 'R-001',
  file: 'read.js',
  line: 1,
  repro: 'The file is never closed.',
  evidence: 'open()',
  recommendation: 'Close it when it has been read.',
});

test(
  'a change goes through two rounds to lgtm, and each side hears from Fixpoint what the other one has said',
  async () => {
    const number = await open(world, { branch: 'change', files: { 'read.js': LEAKY } });
    const first = await hearRequest(rex);
    expect(first.review).toMatchObject({
      round: 1,
      final_round: false,
      branch: 'change',
      changed_files: ['read.js'],
      open_findings: [],
      head_sha: world.sim.pullAt({ repo: 'shop-team/shop', number }).heads[0],
    });
    expect(first.review.diff).toContain('export const read = () => open();');
    await world.calm();
    expect(statusOf(world, number)).toBe('pending');
    expect(await rex.say(...feedback({ from: 'rex', to: first, findings: [LEAK] }))).toMatchObject({ status: 202 });
    expect(await verdictOf(world, number)).toBe('feedback');
    expect(inlineOf(world, number)).toMatchObject([{ id: 'F-001', path: 'read.js', line: 1, round: 1, state: 'open' }]);

    const told = await hear(ann, 'review_feedback');
    expect(told.message.body).toMatchObject({ round: 1, blocking_count: 1 });
    expect(told.packet?.findings).toMatchObject([{ id: 'F-001', status: 'open', file: 'read.js', line: 1 }]);
    expect(told.packet?.findings[0]?.repro).toContain('Close it when it has been read.');

    // The account is there before the forge tells of the head.
    world.sim.setDeliveryFilter(() => 'drop');
    const fixed = await push(world, 'change', { 'read.js': CLOSED });
    world.sim.setDeliveryFilter(() => 'send');
    const account = addressed('ann', number, {
      commit_sha: fixed.slice(0, 8),
      touched_files: ['read.js'],
      addressed_finding_ids: ['F-001'],
    });
    expect(await ann.say(account)).toMatchObject({ status: 202 });
    await world.calm();
    await world.sweep();
    const second = await hearRequest(rex, 2);
    expect(second.review).toMatchObject({ round: 2, head_sha: fixed });
    expect(second.review.open_findings).toMatchObject([{ id: 'F-001', severity: 'P1', blocking: true }]);
    expect(JSON.stringify(second.review.discussion)).toContain('Closed the file.');
    expect(await rex.say(lgtm('rex', second))).toMatchObject({ status: 202 });
    expect(await verdictOf(world, number)).toBe('lgtm');
    expect(statusOf(world, number)).toBe('success');
    expect(inlineOf(world, number)).toMatchObject([{ id: 'F-001', state: 'resolved' }]);
    expect((await hear(ann, 'review_lgtm')).message.body).toMatchObject({ merge_ready: true });
    expect(summaryOf(world, number)).toMatchObject({ round: 2, runs: 2 });
    expect(await runsOf(world, number)).toBe(2);
    expect(kindsOf(world, number).filter((kind) => kind === 'handoff')).toEqual([]);
    expect((await ann.heard()).map(({ message }) => message.type)).toEqual(['review_feedback', 'review_lgtm']);
    expect((await rex.heard()).map(({ message }) => message.type)).toEqual(['review_request', 'review_request']);
  },
  STORY_MS,
);
