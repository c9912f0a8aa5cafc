import { describe, expect, it } from 'vitest';
import { QUEUES } from '../../../shared/queue/contracts.ts';

const changeRequest = { forge: 'main', projectId: 42, number: 7 };
const runId = '0123456789abcdef0123';
const head = 'a'.repeat(40);

/** Jobs as version 1 wrote them. They stay here for ever: a queue may still hold them after an update. */
const GOLDEN = {
  guard: [
    { v: 1, kind: 'wake', changeRequest },
    { v: 1, kind: 'wake_all', wakeUps: [{ changeRequest, jobId: 'wake-opened.by-0123abcd' }] },
    { v: 1, kind: 'sweep' },
    { v: 1, kind: 'event', changeRequest, event: { source: 'wake', id: 'quiet-1', atMs: 1 } },
    {
      v: 1,
      kind: 'event',
      changeRequest,
      event: { source: 'run', kind: 'overdue', id: 'overdue-1', atMs: 1, runId, code: 'RUN_OVERDUE' },
    },
  ],
  review: [
    {
      v: 1,
      changeRequest,
      runId,
      head,
      review: 1,
      attempt: 1,
      mustFinish: false,
      budget: { maxTurns: 8, maxRuntimeS: 600 },
    },
  ],
  explore: [
    { v: 1, changeRequest, runId, head, questionId: `${runId}-2-1`, budget: { maxTurns: 32, maxRuntimeS: 600 } },
  ],
  post: [{ v: 1, changeRequest, runId, planId: `${runId}-review`, budget: { maxWrites: 20, maxRuntimeS: 600 } }],
  fix: [{ v: 1, changeRequest, runId, head, review: 1, budget: { maxTurns: 8, maxRuntimeS: 600 } }],
  notify: [
    {
      v: 1,
      kind: 'event',
      event: { kind: 'handoff', atMs: 1, changeRequest, reason: 'max_rounds_exceeded', episode: 3 },
    },
    {
      v: 1,
      kind: 'event',
      event: {
        kind: 'budget_used_up',
        atMs: 1,
        scope: 'day',
        budget: 'money',
        limit: 500_000_000,
        changeRequest,
        day: '2026-01-31',
      },
    },
    {
      v: 1,
      kind: 'event',
      event: {
        kind: 'outage',
        atMs: 1,
        what: 'forge',
        code: 'FORGE_UNAVAILABLE',
        forge: 'main',
        needsOperator: false,
        sinceMs: 0,
      },
    },
    {
      v: 1,
      kind: 'event',
      event: {
        kind: 'webhook_dead',
        atMs: 1,
        project: { forge: 'main', projectId: 42 },
        health: 'disabled',
        sinceMs: 0,
      },
    },
    {
      v: 1,
      kind: 'delivery',
      hook: 'on-call',
      event: { kind: 'job_failed', atMs: 1, queue: 'post', jobId: 'x', code: 'UNEXPECTED', changeRequest: null },
    },
  ],
} as const;

describe('the queues', () => {
  it.each(Object.entries(GOLDEN).flatMap(([name, jobs]) => jobs.map((job) => [name, job] as const)))(
    'read what version 1 wrote to %s: %j',
    (name, job) => {
      const contract = QUEUES[name as keyof typeof QUEUES];
      expect(contract.payload.parse(job)).toEqual(job);
    },
  );

  it.each([
    ['an unknown version', { ...GOLDEN.review[0], v: 2 }],
    ['a head that is an option', { ...GOLDEN.review[0], head: '--upload-pack=x' }],
    ['no head', { ...GOLDEN.review[0], head: undefined }],
    ['a short head', { ...GOLDEN.review[0], head: 'abc1234' }],
    ['a project that is a path', { ...GOLDEN.review[0], changeRequest: { ...changeRequest, projectId: '../x' } }],
    ['a forge that is an address', { ...GOLDEN.review[0], changeRequest: { ...changeRequest, forge: 'http://evil' } }],
    ['an endless budget', { ...GOLDEN.review[0], budget: { maxTurns: 1e9, maxRuntimeS: 600 } }],
    ['nothing', null],
  ])('Q10: refuse a job with %s', (_name, job) => {
    expect(QUEUES.review.payload.safeParse(job).success).toBe(false);
  });

  const { explore, post, fix, review } = GOLDEN;
  const withBudget = (of: object, budget: object): object => ({ ...of, budget });

  it.each<[string, keyof typeof QUEUES, object]>([
    ['the longest id of a question', 'explore', { ...explore[0], questionId: `${'z'.repeat(40)}-100-999` }],
    ['the question of a finder', 'explore', { ...explore[0], questionId: `${runId}-find-4` }],
    ['the question of a part', 'explore', { ...explore[0], questionId: `${runId}-part-12-verify-1` }],
    ['the question of a verifier', 'explore', { ...explore[0], questionId: `${runId}-verify-12` }],
    ['the shortest id of a question', 'explore', { ...explore[0], questionId: `${'0'.repeat(12)}-1-1` }],
    ['the longest id of a plan', 'post', { ...post[0], planId: 'z'.repeat(80) }],
    ['the shortest id of a plan', 'post', { ...post[0], planId: '0'.repeat(12) }],
    ['the largest budget of a review', 'review', withBudget(review[0], { maxTurns: 100, maxRuntimeS: 7_200 })],
    ['the smallest budget of a fix', 'fix', withBudget(fix[0], { maxTurns: 1, maxRuntimeS: 1 })],
    ['the largest budget of a post', 'post', withBudget(post[0], { maxWrites: 10_000, maxRuntimeS: 3_600 })],
    ['the smallest budget of a post', 'post', withBudget(post[0], { maxWrites: 1, maxRuntimeS: 1 })],
  ])('take a job with %s', (_name, queue, job) => {
    expect(QUEUES[queue].payload.parse(job)).toEqual(job);
  });

  it.each<[string, keyof typeof QUEUES, object]>([
    ['more before the id of a question', 'explore', { ...explore[0], questionId: `../${runId}-2-1` }],
    ['more after the id of a question', 'explore', { ...explore[0], questionId: `${runId}-2-1/..` }],
    ['a question without its turn', 'explore', { ...explore[0], questionId: `${runId}-1` }],
    ['a turn of four digits', 'explore', { ...explore[0], questionId: `${runId}-1000-1` }],
    ['a kind of question that nobody asks', 'explore', { ...explore[0], questionId: `${runId}-other-1` }],
    ['a question of four digits', 'explore', { ...explore[0], questionId: `${runId}-1-1000` }],
    ['more before the id of a plan', 'post', { ...post[0], planId: `../${runId}-review` }],
    ['more after the id of a plan', 'post', { ...post[0], planId: `${runId}-round/..` }],
    ['a short id of a plan', 'post', { ...post[0], planId: '0'.repeat(11) }],
    ['a long id of a plan', 'post', { ...post[0], planId: '0'.repeat(201) }],
    ['no turn', 'explore', withBudget(explore[0], { maxTurns: 0, maxRuntimeS: 600 })],
    ['half a turn', 'explore', withBudget(explore[0], { maxTurns: 1.5, maxRuntimeS: 600 })],
    ['too many turns', 'fix', withBudget(fix[0], { maxTurns: 101, maxRuntimeS: 600 })],
    ['no time', 'review', withBudget(review[0], { maxTurns: 8, maxRuntimeS: 0 })],
    ['part of a second', 'review', withBudget(review[0], { maxTurns: 8, maxRuntimeS: 0.5 })],
    ['too much time', 'review', withBudget(review[0], { maxTurns: 8, maxRuntimeS: 7_201 })],
    ['no write', 'post', withBudget(post[0], { maxWrites: 0, maxRuntimeS: 600 })],
    ['half a write', 'post', withBudget(post[0], { maxWrites: 1.5, maxRuntimeS: 600 })],
    ['too many writes', 'post', withBudget(post[0], { maxWrites: 10_001, maxRuntimeS: 600 })],
    ['no time to post', 'post', withBudget(post[0], { maxWrites: 20, maxRuntimeS: 0 })],
    ['part of a second to post', 'post', withBudget(post[0], { maxWrites: 20, maxRuntimeS: 0.5 })],
    ['too much time to post', 'post', withBudget(post[0], { maxWrites: 20, maxRuntimeS: 3_601 })],
    ['round 0', 'review', { ...review[0], review: 0 }],
    ['half a round', 'fix', { ...fix[0], review: 1.5 }],
    ['attempt 0', 'review', { ...review[0], attempt: 0 }],
    ['half an attempt', 'review', { ...review[0], attempt: 1.5 }],
    ['a word instead of yes or no', 'review', { ...review[0], mustFinish: 'false' }],
  ])('refuse a job with %s', (_name, queue, job) => {
    expect(QUEUES[queue].payload.safeParse(job).success).toBe(false);
  });

  it.each(Object.entries(GOLDEN).flatMap(([name, jobs]) => jobs.map((job) => [name, job] as const)))(
    'refuse what another version wrote to %s: %j',
    (name, job) => {
      const contract = QUEUES[name as keyof typeof QUEUES];
      expect(contract.payload.safeParse({ ...job, v: 2 }).success).toBe(false);
    },
  );

  it.each(Object.entries(QUEUES))('try a job of %s again, and end each execution of it', (name, contract) => {
    expect(contract.name).toBe(name);
    expect(contract.attempts).toBeGreaterThanOrEqual(2);
    expect(contract.backoffMs).toBeGreaterThanOrEqual(500);
    expect(contract.timeoutMs).toBeGreaterThanOrEqual(120_000);
  });

  it('hold ids and hashes only', () => {
    const text = JSON.stringify(GOLDEN);
    expect(text).not.toMatch(/https?:|token|secret|body|title/i);
  });
});
