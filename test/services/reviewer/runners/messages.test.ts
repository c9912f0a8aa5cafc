/** The runner that asks a reviewer outside, over a real repository and a real Redis. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { ReviewTask } from '../../../../services/reviewer/run/prompt.ts';
import type { RunnerResult, RunScope } from '../../../../services/reviewer/run/runner.ts';
import { createMessagesRunner } from '../../../../services/reviewer/runners/messages.ts';
import { Agent } from '../../../../shared/config/agent-settings.ts';
import { createReviewRequestStore, type ReviewRequestStore } from '../../../../shared/mailbox/review-request-store.ts';
import { handoffPathOf } from '../../../../shared/mailbox/mailbox-message.ts';
import { createMessageStore } from '../../../../shared/mailbox/message-store.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { runId } from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { feedback, finding, lgtm, type Request } from '../../../support/outside.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { createReviewWorld, request, type ReviewWorld, SCOPE, TASK, textOf, thread } from '../review-world.ts';

// Put together at run time: a scanner would take a literal for a leaked secret.
const LEAK = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const OF = SCOPE.changeRequest;
const START_MS = 1_000_000;

let world: ReviewWorld;
let server: TestRedis;
let redis: Redis;
let requestStore: ReviewRequestStore;
let nowMs: number;
let base: CommitSha;
let head: CommitSha;

const keys = createKeys('fixpoint');

beforeAll(async () => {
  world = createReviewWorld();
  base = world.commit({ 'a.js': textOf('export const a = 1;') });
  head = world.commit({
    'a.js': textOf('export const a = open();', 'export const b = eval(a);', `export const key = '${LEAK}';`),
  });
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
  world?.dispose();
});

beforeEach(async () => {
  await redis.flushall();
  nowMs = START_MS;
  requestStore = createReviewRequestStore(redis, keys, () => nowMs);
});

/** As a process of its own would: with nothing but what Redis holds. */
const runnerOf = (reviewer: string | null = 'rex') =>
  createMessagesRunner({
    requestStore,
    reviewerOf: async () => reviewer,
    ownName: 'fixpoint',
    agent: Agent.parse({}),
    maxRounds: 3,
    duplicateThreshold: 0.6,
    redact: createRedactor([]),
    nowMs: () => nowMs,
    checkpoint: () => {},
  });

const execute = async (
  scope: Partial<RunScope> = {},
  reviewer: string | null = 'rex',
  handoff: ReviewTask['handoff'] = null,
): Promise<RunnerResult> => {
  const source = world.source();
  const settled = { ...thread('b.js', 1, base, 'F-002'), title: `Holds ${LEAK}`, settled: { head: base } };
  const closedThreads = handoff === null ? [] : [settled, thread('c.js', 1, base, 'F-003')];
  const packet = await buildPacket(
    request(base, head, { openThreads: [thread('a.js', 1, base)], closedThreads }),
    source,
  );
  const input = {
    packet,
    task: { ...TASK, branch: 'change', closedThreads, handoff },
    revisions: source.revisions,
    scope: { ...SCOPE, ...scope },
  };
  return runnerOf(reviewer).run(input, never());
};

const letters = async () => {
  const messageStore = createMessageStore(redis, keys, { maxRoundsOf: async () => 3, leader: 'fixpoint' });
  return messageStore.read({ forge: OF.forge, projectId: OF.projectId, name: 'rex' }, null);
};

const requests = async (): Promise<readonly Request[]> =>
  (await letters()).flatMap(({ message, review }) =>
    review === null ? [] : [{ id: message.id, review, pr: message.related_pr ?? '' }],
  );

const onlyRequest = async (): Promise<Request> => {
  const [only, ...others] = await requests();
  if (only === undefined || others.length > 0) throw new Error(`${others.length} requests too many, or none`);
  return only;
};

describe('a run that asks a reviewer outside', () => {
  it('has failed when the project belongs to another reviewer now, who has not been asked', async () => {
    expect(await execute()).toMatchObject({ kind: 'sleeps' });
    const sleeps = async (reviewer: string) => runnerOf(reviewer).sleepsFor?.(OF, SCOPE.runId);
    expect(await Promise.all([sleeps('rex'), sleeps('dee')])).toEqual([1_000, null]);
    expect(await execute({}, 'dee')).toEqual({ kind: 'failed', code: 'OUTSIDE_REVIEWER_MISSING', rawText: null });
    expect(await requests()).toHaveLength(1);
  });

  it('asks once, however often and by how many it is carried out, and sleeps', async () => {
    expect(await Promise.all([execute(), execute()])).toEqual([
      { kind: 'sleeps', delayMs: 1_000 },
      { kind: 'sleeps', delayMs: 1_000 },
    ]);
    nowMs += 5_000;
    expect(await execute()).toEqual({ kind: 'sleeps', delayMs: 30_000 });
    expect(await runnerOf().sleepsFor?.(OF, SCOPE.runId)).toBe(30_000);
    const { review } = await onlyRequest();
    expect(review).toMatchObject({
      run: SCOPE.runId,
      head_sha: head,
      base_sha: base,
      branch: 'change',
      round: TASK.review,
    });
    expect(review.open_findings).toMatchObject([{ id: 'F-001', blocking: true, legal_actions: ['resolve', 'reply'] }]);
  });

  it('shows no secret outside', async () => {
    await execute();
    const { review } = await onlyRequest();
    expect(review.diff).toContain('eval(a)');
    expect(JSON.stringify(review)).not.toContain(LEAK);
  });

  it('tells of the human who was called before, with what stands and without a secret', async () => {
    const called = { head: base, review: 1, reason: 'max_rounds_exceeded', atMs: Date.parse('2030-01-05T09:30:00Z') };
    await execute({}, 'rex', { ...called, webUrl: 'http://forge.example/2' });
    const [letter] = await letters();
    const path = `packets/handoffs/20300105_2-${base.slice(0, 12)}-main-1_fixpoint_r1.yaml`;
    expect([letter?.message.body, letter && handoffPathOf(letter.message)]).toMatchObject([
      { handoff_ref: path },
      path,
    ]);
    expect(letter?.handoff).toMatchObject({
      source_agent: 'fixpoint',
      target_agent: 'operator',
      artifacts_to_review: ['http://forge.example/2', `packets/reviews/${letter?.review?.packet_id}.yaml`],
      context_bundle: { files_touched: [{ path: 'a.js' }, { path: 'b.js' }] },
    });
    expect(letter?.handoff?.context_bundle.decisions_made).toHaveLength(1);
    expect(JSON.stringify(letter)).not.toContain(LEAK);
  });

  it('tells of nobody where nobody was called, and is found by the id of its request', async () => {
    await execute();
    const [letter] = await letters();
    expect([letter?.handoff, letter?.message.body]).toEqual([
      null,
      expect.not.objectContaining({ handoff_ref: expect.anything() }),
    ]);
    const messageStore = createMessageStore(redis, keys, { maxRoundsOf: async () => 3, leader: 'fixpoint' });
    const box = { forge: OF.forge, projectId: OF.projectId, name: 'rex' };
    expect(await messageStore.find(box, letter?.message.id ?? '')).toBe(letter?.cursor);
  });

  it('makes a draft of the answer, with the rules beside it, the same in every execution', async () => {
    await execute();
    const to = await onlyRequest();
    const found = finding({ id: 'R-1', file: 'a.js', line: 1, repro: 'It is never closed.', evidence: 'open()' });
    nowMs += 7_000;
    const said = feedback({ from: 'rex', to, findings: [finding({ id: 'F-001', status: 'not_fixed' }), found] });
    expect((await requestStore.answer(OF, { message: said[0], packet: said[1] })).kind).toBe('accepted');
    expect(await runnerOf().sleepsFor?.(OF, SCOPE.runId)).toBeNull();
    nowMs += 50_000;
    const first = await execute();
    expect(first).toMatchObject({
      kind: 'draft',
      draft: {
        answers: [{ findingId: 'F-001', action: 'reply', stance: 'seeks_change' }],
        omitted: [],
        exceeded: null,
        spent: { turns: 1, wallMs: 7_000, modelCalls: 0, costUsd: 0 },
      },
    });
    const titles = first.kind === 'draft' ? first.draft.findings.map(({ rule, title }) => rule ?? title) : [];
    expect(titles.toSorted()).toEqual(expect.arrayContaining(['It is never closed.', 'js-eval']));
    expect(await execute()).toEqual(first);
    expect(await requests()).toHaveLength(1);
  });

  it('has failed when nobody has answered in time, and takes nothing from then on', async () => {
    await execute({ maxRuntimeS: 60 });
    nowMs += 59_000;
    expect(await execute()).toEqual({ kind: 'sleeps', delayMs: 1_000 });
    nowMs += 1_000;
    expect(await runnerOf().sleepsFor?.(OF, SCOPE.runId)).toBeNull();
    expect(await execute()).toEqual({ kind: 'failed', code: 'OUTSIDE_REVIEWER_SILENT', rawText: null });
    const late = lgtm('rex', await onlyRequest());
    expect(await requestStore.answer(OF, { message: late, packet: null })).toMatchObject({
      reason: 'the message comes too late',
    });
  });

  it('that has ended is answered by nobody, and the next one only by name', async () => {
    await execute();
    await runnerOf().leave?.(OF, SCOPE.runId);
    const [first] = await requests();
    if (first === undefined) throw new Error('no request');
    expect(await requestStore.answer(OF, { message: lgtm('rex', first), packet: null })).toMatchObject({
      reason: 'the review that the message answers has ended',
    });
    await execute({ runId: runId('next') });
    const [, next] = await requests();
    if (next === undefined) throw new Error('no second request');
    const say = async (to: Request, parent: string | null) =>
      requestStore.answer(OF, { message: lgtm('rex', to, {}, parent), packet: null });
    expect(await say(first, first.id)).toMatchObject({ reason: 'the message answers another request' });
    expect(await say(next, null)).toMatchObject({ reason: 'the message does not say which request it answers' });
    await runnerOf().leave?.(OF, SCOPE.runId);
    expect(await say(next, next.id)).toMatchObject({ kind: 'accepted' });
  });

  it('has failed where the project has no reviewer', async () => {
    expect(await execute({}, null)).toEqual({ kind: 'failed', code: 'OUTSIDE_REVIEWER_MISSING', rawText: null });
    expect(await requests()).toEqual([]);
  });
});
