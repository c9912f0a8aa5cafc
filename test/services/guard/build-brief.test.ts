import { expect, test } from 'vitest';
import { buildBrief } from '../../../services/guard/build-brief.ts';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import type { History } from '../../../shared/rounds/model/history.ts';
import { changeRequest, comment, history, policy, print, run, sha, thread } from '../../shared/rounds/builders.ts';

const git = { url: 'http://forge.example/shop.git', headRef: 'refs/pull/5/head' };

const briefOf = (review: number, patch: Partial<History> = {}, facts = changeRequest()): Brief =>
  buildBrief({
    run: run({ review }),
    facts,
    history: history(patch),
    policy: policy(),
    git,
    comments: [],
    botIds: new Set(),
  });

const threads = [
  thread({ id: 'F-001', count: 0 }),
  thread({ id: 'F-002', count: 1 }),
  thread({ id: 'F-003', state: 'resolved' }),
  thread({ id: 'F-004', state: 'vetoed' }),
  thread({ id: 'F-005', review: 2 }),
];

test('every open thread of an earlier round comes with the actions that are legal in this cycle', () => {
  const { openThreads, closedThreads, stage } = briefOf(2, { threads, roundsUsed: 1 });
  expect(stage).toBe('open');
  expect(openThreads.map(({ id, legalActions }) => ({ id, legalActions }))).toEqual([
    { id: 'F-001', legalActions: ['resolve', 'veto', 'escalate', 'reply'] },
    { id: 'F-002', legalActions: ['resolve', 'veto', 'escalate'] },
  ]);
  expect(closedThreads.map(({ id }) => id)).toEqual(['F-003', 'F-004']);
});

test('in the final round nobody may only reply', () => {
  const { openThreads, stage } = briefOf(3, { threads, roundsUsed: 2 });
  expect(stage).toBe('final');
  expect(openThreads.flatMap(({ legalActions }) => legalActions)).not.toContain('reply');
});

test('the previous round is the last complete one, in whatever order the forge told them', () => {
  const input = (review: number) => ({
    head: sha(`head ${review}`),
    base: sha('base'),
    fingerprint: print(`${review}`),
    target: 'main',
    targetHead: sha('target'),
    rules: print('rules'),
    review,
    verdict: 'feedback' as const,
  });
  expect(briefOf(3, { reviewed: [input(2), input(1)] }).previous?.head).toBe(sha('head 2'));
  expect(briefOf(1).previous).toBeNull();
});

test('the last call for a human comes along, with the place to look at', () => {
  const call = (review: number) => ({
    head: sha(`head ${review}`),
    review,
    reason: 'max_rounds_exceeded',
    atMs: review,
  });
  const brief = briefOf(3, { handoffs: [call(1), call(2)] });
  expect(brief.handoff).toEqual({ ...call(2), webUrl: 'http://forge.example/5' });
  expect(Brief.parse(brief).handoff).toEqual(brief.handoff);
  expect(briefOf(3).handoff).toBeNull();
});

test('a long title and description are cut, and the result is what a reviewer accepts', () => {
  const facts = changeRequest({ title: 't'.repeat(5_000), description: 'd'.repeat(200_000) });
  const brief = briefOf(1, {}, facts);
  expect({ title: brief.title.length, description: brief.description.length }).toEqual({
    title: 1_000,
    description: 50_000,
  });
  expect(Brief.parse(brief)).toEqual(brief);
});

test('a thread comes with the words of its comment, cut, and without what only the poster added', () => {
  const said = comment(`**High: Title**\n\n${'w'.repeat(9_000)}\n\n<!-- fixpoint:1 x -->`);
  const { openThreads } = briefOf(2, { threads: [thread({ comment: said }), thread({ id: 'F-002' })] });
  expect(openThreads.map(({ words }) => words)).toEqual(['w'.repeat(4_000), undefined]);
});
