import { expect, test } from 'vitest';
import { buildBrief } from '../../../services/guard/build-brief.ts';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import type { History } from '../../../shared/rounds/model/history.ts';
import type { Thread } from '../../../shared/rounds/model/history.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import * as make from '../../shared/rounds/builders.ts';

const { changeRequest, comment, history, policy, print, run, sha, thread } = make;

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

const briefFor = (of: Run, patch: Partial<History> = {}, rest: Partial<Parameters<typeof buildBrief>[0]> = {}): Brief =>
  buildBrief({
    run: of,
    facts: changeRequest(),
    history: history(patch),
    policy: policy(),
    git,
    comments: [],
    botIds: new Set(),
    ...rest,
  });

test.each([
  ['review', run({ instructions: 'look at the cache' }), 'look at the cache'],
  ['review', run(), null],
  ['reply', make.replyRun(), null],
  // The reviewer does the same for both: it answers, and finds nothing new.
  ['reply', make.reevaluateRun(), null],
] as const)('a brief of the kind %s for %o has the instructions of its run alone', (kind, of, instructions) => {
  const brief = briefFor(of, { threads: [thread({ id: 'F-001' })] });
  expect({ kind: brief.kind, instructions: brief.instructions }).toEqual({ kind, instructions });
});

const only = (patch: Partial<Thread>, answers: Parameters<typeof buildBrief>[0]['answers'] = []) =>
  briefFor(run({ review: 2 }), { threads: [thread({ id: 'F-001', ...patch })] }, { answers }).openThreads[0];

const answer = (findingId: string) => ({ findingId, noteId: 4, authorId: make.AUTHOR_ID });

test.each([
  ['nobody answered', {}, [], undefined],
  ['an answer in another thread', {}, [answer('F-002')], undefined],
  ['an answer in its thread', {}, [answer('F-001')], true],
  ['the author service declined it', { declined: true }, [], true],
  ['somebody clicked "resolve"', { comment: comment('x', { resolved: true }) }, [], true],
  ['nobody clicked "resolve"', { comment: comment('x', { resolved: false }) }, [], undefined],
] as const)('a thread is answered when %s', (_when, patch, answers, expected) => {
  expect(only(patch, [...answers])?.answered).toBe(expected);
});

test('a thread says whether it has a comment at its line, and whether it is only listed', () => {
  const said = comment('x');
  expect(only({ comment: said })).toMatchObject({ inline: true });
  expect(only({ comment: said, required: true })).not.toHaveProperty('inline');
  expect(only({ comment: null })).not.toHaveProperty('inline');
  expect(only({ listed: true })).toMatchObject({ listed: true });
  expect(only({})).not.toHaveProperty('listed');
});

const reviewed = make.reviewedAt(sha('before'), { verdict: 'lgtm', seenBy: 'model' });

test('the previous review comes with who saw its lines; a full review is compared with none', () => {
  const { head, base, fingerprint } = reviewed;
  expect(briefFor(run({ review: 2 }), { reviewed: [reviewed] }).previous).toEqual({
    head,
    base,
    fingerprint,
    verdict: 'lgtm',
    seenBy: 'model',
  });
  expect(briefFor(run({ review: 2, full: true }), { reviewed: [reviewed] }).previous).toBeNull();
  expect(briefFor(make.replyRun(), { reviewed: [reviewed] }).previous?.head).toBe(head);
});

test('earlier inputs may be carried until as many heads were carried as the operator allows', () => {
  const { head, base, target, fingerprint, rules } = reviewed;
  const carriable = (carriedHeads: number, of: Run = run({ review: 2 })) =>
    briefFor(of, { reviewed: [reviewed], carriedHeads }, { policy: policy({}, { maxCarried: 2 }) }).carriable;
  expect(carriable(1)).toEqual([{ head, base, target, fingerprint, rules }]);
  expect(carriable(2)).toEqual([]);
  expect(carriable(0, make.replyRun())).toEqual([]);
});

test.each([
  ['of the project', {}, { url: git.url, name: 'feature' }],
  [
    'of a fork',
    { fromFork: true, forkUrl: 'http://forge.example/fork.git' },
    { url: 'http://forge.example/fork.git', name: 'feature' },
  ],
  ['of a deleted fork', { fromFork: true, forkUrl: null }, null],
  ['without a name', { sourceBranch: '' }, null],
  ['that is a ref of the change request', { sourceBranch: 'refs/pull/5/head' }, null],
] as const)('the source branch %s', (_which, facts, expected) => {
  expect(briefFor(run(), {}, { facts: changeRequest(facts) }).git.branch).toEqual(expected);
});
