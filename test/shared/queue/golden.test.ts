import { describe, expect, it } from 'vitest';
import { QUEUES } from '../../../shared/queue/contracts.ts';

const changeRequest = { forge: 'main', projectId: 42, number: 7 };
const runId = '0123456789abcdef0123';
const head = 'a'.repeat(40);

/** Jobs as version 1 wrote them. They stay here for ever: a queue may still hold them after an update. */
const GOLDEN = {
  guard: [
    { v: 1, kind: 'wake', changeRequest },
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
      round: 1,
      attempt: 1,
      mustFinish: false,
      budget: { maxTurns: 8, maxRuntimeS: 600 },
    },
  ],
  explore: [
    { v: 1, changeRequest, runId, head, questionId: `${runId}-2-1`, budget: { maxTurns: 32, maxRuntimeS: 600 } },
  ],
  post: [{ v: 1, changeRequest, runId, planId: `${runId}-round`, budget: { maxWrites: 20, maxRuntimeS: 600 } }],
  fix: [{ v: 1, changeRequest, runId, head, round: 1, budget: { maxTurns: 8, maxRuntimeS: 600 } }],
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

  it('hold ids and hashes only', () => {
    const text = JSON.stringify(GOLDEN);
    expect(text).not.toMatch(/https?:|token|secret|body|title/i);
  });
});
