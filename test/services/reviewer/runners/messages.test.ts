/** The runner that asks a reviewer outside, over a real repository and a real Redis. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildPacket } from '../../../../services/reviewer/packet.ts';
import type { RunnerResult, RunScope } from '../../../../services/reviewer/runner.ts';
import { createMessagesRunner } from '../../../../services/reviewer/runners/messages.ts';
import { Agent } from '../../../../shared/config/agent-settings.ts';
import { createDesk, type Desk } from '../../../../shared/mailbox/desk.ts';
import { createPostOffice } from '../../../../shared/mailbox/post-office.ts';
import type { CommitSha } from '../../../../shared/rounds/vocabulary.ts';
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
let desk: Desk;
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
  desk = createDesk(redis, keys, () => nowMs);
});

/** As a process of its own would: with nothing but what Redis holds. */
const runnerOf = (reviewer: string | null = 'rex') =>
  createMessagesRunner({
    desk,
    reviewerOf: () => reviewer,
    ownName: 'fixpoint',
    agent: Agent.parse({}),
    maxRounds: 3,
    duplicateThreshold: 0.6,
    redact: createRedactor([]),
    nowMs: () => nowMs,
    checkpoint: () => {},
  });

const execute = async (scope: Partial<RunScope> = {}, reviewer: string | null = 'rex'): Promise<RunnerResult> => {
  const source = world.source();
  const packet = await buildPacket(request(base, head, { openThreads: [thread('a.js', 1, base)] }), source);
  const input = {
    packet,
    task: { ...TASK, branch: 'change' },
    revisions: source.revisions,
    scope: { ...SCOPE, ...scope },
  };
  return runnerOf(reviewer).run(input, never());
};

const requests = async (): Promise<readonly Request[]> => {
  const office = createPostOffice(redis, keys, { maxRounds: 3, leader: 'fixpoint' });
  const letters = await office.read({ forge: OF.forge, projectId: OF.projectId, name: 'rex' }, null);
  return letters.flatMap(({ message, review }) =>
    review === null ? [] : [{ id: message.id, review, pr: message.related_pr ?? '' }],
  );
};

const onlyRequest = async (): Promise<Request> => {
  const [only, ...others] = await requests();
  if (only === undefined || others.length > 0) throw new Error(`${others.length} requests too many, or none`);
  return only;
};

describe('a run that asks a reviewer outside', () => {
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
      round: TASK.round,
    });
    expect(review.open_findings).toMatchObject([{ id: 'F-001', blocking: true, legal_actions: ['resolve', 'reply'] }]);
  });

  it('shows no secret outside', async () => {
    await execute();
    const { review } = await onlyRequest();
    expect(review.diff).toContain('eval(a)');
    expect(JSON.stringify(review)).not.toContain(LEAK);
  });

  it('makes a draft of the answer, with the rules beside it, the same in every execution', async () => {
    await execute();
    const to = await onlyRequest();
    const found = finding({ id: 'R-1', file: 'a.js', line: 1, repro: 'It is never closed.', evidence: 'open()' });
    nowMs += 7_000;
    const said = feedback({ from: 'rex', to, findings: [finding({ id: 'F-001', status: 'not_fixed' }), found] });
    expect((await desk.answer(OF, { message: said[0], packet: said[1] })).kind).toBe('accepted');
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
    expect(await desk.answer(OF, { message: late, packet: null })).toMatchObject({ reason: 'it comes too late' });
  });

  it('that has ended is answered by nobody, and the next one only by name', async () => {
    await execute();
    await runnerOf().leave?.(OF, SCOPE.runId);
    const [first] = await requests();
    if (first === undefined) throw new Error('no request');
    expect(await desk.answer(OF, { message: lgtm('rex', first), packet: null })).toMatchObject({
      reason: 'the review that it answers has ended',
    });
    await execute({ runId: runId('next') });
    const [, next] = await requests();
    if (next === undefined) throw new Error('no second request');
    const say = async (to: Request, parent: string | null) =>
      desk.answer(OF, { message: lgtm('rex', to, {}, parent), packet: null });
    expect(await say(first, first.id)).toMatchObject({ reason: 'it answers another request' });
    expect(await say(next, null)).toMatchObject({ reason: 'it does not say which request it answers' });
    await runnerOf().leave?.(OF, SCOPE.runId);
    expect(await say(next, next.id)).toMatchObject({ kind: 'accepted' });
  });

  it('has failed where the project has no reviewer', async () => {
    expect(await execute({}, null)).toEqual({ kind: 'failed', code: 'OUTSIDE_REVIEWER_MISSING', rawText: null });
    expect(await requests()).toEqual([]);
  });
});
