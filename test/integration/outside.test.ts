/** An external author and an external reviewer that use only the protocol's messages: two rounds through Fixpoint. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { handoffPathOf } from '../../shared/mailbox/mailbox-message.ts';
import { usually } from '../support/deep.ts';
import { makeToken, type OutsideClient } from '../support/outside-settings.ts';
import { speakerInFolder } from '../support/outside-folder.ts';
import {
  addressed,
  feedback,
  finding,
  hear,
  hearRequest,
  lgtm,
  type Said,
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
import { AUTHOR, BOT, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const LEAKY = textOf('export const read = () => open();');
const CLOSED = textOf('export const read = () => using(open());');

let world: StoryWorld;
let ann: Speaker;
let rex: Speaker;
let folder: string;

const clientsOn = (way: 'http' | 'folder'): readonly OutsideClient[] =>
  (['author', 'reviewer'] as const).map((role) => {
    const name = role === 'author' ? 'ann' : 'rex';
    return way === 'http' ? { name, role, token: makeToken() } : { name, role, folder: path.join(folder, name) };
  });

const begin = async (way: 'http' | 'folder', more = ''): Promise<void> => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-outside-'));
  const clients = clientsOn(way);
  world = await startStoryWorld({ more, outside: { reviews: true, clients } });
  const [one, other] = clients.map(({ name, token }) =>
    token === undefined
      ? speakerInFolder(path.join(folder, name), name)
      : speakerOverHttp(world.ingressUrl, name, token),
  );
  if (one === undefined || other === undefined) throw new Error('two speak');
  [ann, rex] = [one, other];
  await commitBase(world, { 'README.md': textOf('# Shop') });
};

afterEach(async () => {
  await world?.finish();
  await rm(folder, { recursive: true, force: true });
}, STORY_MS);

const LEAK = finding({
  id: 'R-001',
  file: 'read.js',
  line: 1,
  repro: 'The file is never closed.',
  evidence: 'open()',
  recommendation: 'Close it when it has been read.',
});

/** The author's message arrives before the forge's webhook about the head. */
const pushWithAccount = async (number: number): Promise<string> => {
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
  return fixed;
};

const refusal = (said: Said): string => `${said.status} ${String(said.body['error'])}`;

test.each(usually('http' as const, 'folder' as const))(
  'a change goes through two rounds to lgtm over %s, and each side hears from Fixpoint what the other one has said',
  async (way) => {
    await begin(way);
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
    expect(inlineOf(world, number)).toMatchObject([
      { id: 'F-001', path: 'read.js', line: 1, review: 1, state: 'open' },
    ]);

    const told = await hear(ann, 'review_feedback');
    expect(told.message.body).toMatchObject({ round: 1, blocking_count: 1 });
    expect(told.packet?.findings).toMatchObject([{ id: 'F-001', status: 'open', file: 'read.js', line: 1 }]);
    expect(told.packet?.findings[0]?.repro).toContain('Close it when it has been read.');

    const fixed = await pushWithAccount(number);
    const second = await hearRequest(rex, 2);
    expect(second.review).toMatchObject({ round: 2, head_sha: fixed });
    expect(second.review.open_findings).toMatchObject([{ id: 'F-001', severity: 'P1', blocking: true }]);
    expect(second.review.open_findings[0]?.replies).toEqual([
      { author: 'ann', text: `Addressed in ${fixed.slice(0, 8)}.` },
    ]);
    expect(JSON.stringify(second.review.discussion)).toContain('Closed the file.');
    expect(await rex.say(lgtm('rex', second))).toMatchObject({ status: 202 });
    expect(await verdictOf(world, number)).toBe('lgtm');
    expect(statusOf(world, number)).toBe('success');
    expect(inlineOf(world, number)).toMatchObject([{ id: 'F-001', state: 'resolved' }]);
    expect((await hear(ann, 'review_lgtm')).message.body).toMatchObject({ merge_ready: true });

    expect(summaryOf(world, number)).toMatchObject({ review: 2, runs: 2 });
    expect(await runsOf(world, number)).toBe(2);
    expect(kindsOf(world, number).filter((kind) => kind === 'handoff')).toEqual([]);
    expect((await ann.heard()).map(({ message }) => message.type)).toEqual(['review_feedback', 'review_lgtm']);
    expect((await rex.heard()).map(({ message }) => message.type)).toEqual(['review_request', 'review_request']);
  },
  STORY_MS,
);

test(
  'what does not fit is refused with what was expected, and changes nothing',
  async () => {
    await begin('http');
    const number = await open(world, { branch: 'change', files: { 'read.js': LEAKY } });
    const first = await hearRequest(rex);
    const answer = (wish: object) => feedback({ from: 'rex', to: first, findings: [LEAK], ...wish });
    const [good, packet] = answer({});
    const wrongRound = await rex.say(...answer({ round: 2 }));
    expect(refusal(wrongRound)).toBe('409 body.round is 2');
    expect(wrongRound.body['expected']).toBe(
      `review_feedback of round 1 or review_lgtm from rex with parent_message_id ${first.id}, ` +
        `about head ${first.review.head_sha}`,
    );
    expect(refusal(await rex.say(...answer({ parent: 'msg-other' })))).toBe('409 the message answers another request');
    expect(refusal(await rex.say(...answer({ source: 'abcdef0' })))).toBe('409 the packet is about another head');
    expect(refusal(await rex.say(good))).toBe('409 the message comes without its findings packet');
    expect(refusal(await rex.say(lgtm('rex', first, { quality_gate_result: 'fail', merge_ready: false })))).toBe(
      '409 this is not a pass; send review_feedback instead',
    );
    expect(refusal(await ann.say(addressed('ann', number, { commit_sha: 'abcdef0' })))).toBe(
      '409 review_addressed is out of order',
    );
    expect((await ann.say(good)).status).toBe(403);
    await world.calm();
    expect([statusOf(world, number), kindsOf(world, number), await runsOf(world, number)]).toEqual(['pending', [], 1]);
    expect((await rex.say(good, packet)).status).toBe(202);
    expect((await rex.say(good, packet)).status).toBe(200);
    expect(refusal(await rex.say(lgtm('rex', first)))).toBe('409 the request already has an answer');
    expect(await verdictOf(world, number)).toBe('feedback');
    const early = await ann.say(addressed('ann', number, { commit_sha: 'abcdef0', round: 2 }));
    expect([refusal(early), early.body['expected']]).toEqual([
      '409 body.round is 2',
      'review_addressed of round 1 from ann',
    ]);
    expect(refusal(await rex.say(lgtm('rex', first)))).toBe('409 the request already has an answer');
    await world.calm();
    expect(summaryOf(world, number)).toMatchObject({ review: 1, runs: 1, verdict: 'feedback' });
    expect(inlineOf(world, number)).toHaveLength(1);
  },
  STORY_MS,
);

const LAST = 'max_rounds_exceeded';

describe.runIf(process.env['FIXPOINT_DEEP'] === '1')('when a human is called', () => {
  test.each(['http', 'folder'] as const)(
    'over %s the author gets the hand-off packet with the feedback, and the reviewer with the round that is granted',
    async (way) => {
      await begin(way, '[rounds]\nmax = 1');
      const number = await open(world, { branch: 'change', files: { 'read.js': LEAKY } });
      const first = await hearRequest(rex);
      expect((await rex.say(...feedback({ from: 'rex', to: first, findings: [LEAK] }))).status).toBe(202);
      const { message, handoff } = await hear(ann, 'review_feedback');
      expect(message).toMatchObject({ body: { round: 1, escalation: LAST } });
      expect(handoffPathOf(message)).toContain(first.review.head_sha.slice(0, 12));
      expect(handoff).toMatchObject({
        source_agent: 'fixpoint',
        target_agent: 'operator',
        definition_of_done: [expect.stringMatching(/^F-001 \(P1\): .* is resolved or dismissed$/)],
        context_bundle: { files_touched: [{ path: 'read.js' }] },
      });

      await world.calm();
      await push(world, 'change', { 'read.js': CLOSED });
      await world.calm();
      world.sim.comment({ repo: REPO, number, as: AUTHOR, body: `@${BOT} review --full` });
      const second = await hearRequest(rex, 2);
      const asked = await hear(rex, 'review_request', 2);
      expect(handoffPathOf(asked.message)).not.toBeNull();
      expect(asked.handoff).toMatchObject({ source_agent: 'fixpoint', target_agent: 'operator' });
      expect((await rex.say(lgtm('rex', second))).status).toBe(202);
      expect((await hear(ann, 'review_lgtm')).handoff).toBeNull();
    },
    STORY_MS,
  );
});
