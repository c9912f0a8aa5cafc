/** What must have happened before a model may resolve an open thread, over commits of a real repository. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDraft } from '../../../../services/reviewer/check-draft.ts';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import { createRulesRunner } from '../../../../services/reviewer/runners/rules.ts';
import type { BriefThread } from '../../../../shared/rounds/model/brief.ts';
import type { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { runId } from '../../../shared/rounds/builders.ts';
import {
  createReviewWorld,
  lookedAt,
  request,
  type ReviewWorld,
  SCOPE,
  TASK,
  textOf,
  thread,
} from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const BODY = [
  'export const keep = async (order) => {', // 1
  '  const kept = await load(order);', // 2
  '  audit(kept);', // 3
  '  audit(order);', // 4
  '  audit(order.next);', // 5
  '  audit(order.previous);', // 6
  '  save(order);', // 7, the thread
  '};', // 8
  '', // 9
  'export const other = () => {', // 10
  '  first();', // 11
  '  second();', // 12
  '  third();', // 13
  '  fourth();', // 14
  '  fifth();', // 15
  '};', // 16
];
const BEFORE = { 'a.ts': textOf(...BODY), 'notes.md': 'shop\n' };

const withLine = (number: number, ...lines: readonly string[]): Record<string, string> => ({
  'a.ts': textOf(...BODY.slice(0, number - 1), ...lines, ...BODY.slice(number)),
});

type Given = {
  readonly after: Record<string, string | null>;
  readonly more?: Partial<BriefThread>;
  readonly evidence?: string;
};

const checked = async ({ after, more = {}, evidence }: Given): Promise<Pick<ReviewDraft, 'resolvable'>> => {
  const base = world.commit({ 'README.md': 'shop\n' });
  const raised = world.commit(BEFORE);
  const head = world.commit({ ...after, 'last.txt': 'pushed\n' });
  const open = { ...thread('a.ts', 7, raised), ...more };
  const packet = await buildPacket(request(base, head, { openThreads: [open] }), world.source());
  const answer = { findingId: 'F-001', stance: 'accepts', action: 'resolve', severity: null, body: '' } as const;
  const draft = {
    summary: '',
    findings: [],
    answers: [evidence === undefined ? answer : { ...answer, evidence }],
    omitted: [],
    spent: NOTHING_SPENT,
    exceeded: null,
    looked: lookedAt(packet),
  };
  const redact = createRedactor([]);
  return checkDraft({ runId: runId('run'), review: 2, attempt: 1 }, draft, { packet, redact });
};

const why = async (given: Given): Promise<string | null> => {
  const { resolvable = [] } = await checked(given);
  return resolvable.find(({ findingId }) => findingId === 'F-001')?.why ?? null;
};

describe('a thread may be resolved', () => {
  test.each<[string, Given, string | null]>([
    ['when its line changed', { after: withLine(7, '  await save(order);') }, 'touched'],
    ['when its line is gone', { after: withLine(7) }, 'touched'],
    ['when its file is gone', { after: { 'a.ts': null } }, 'touched'],
    ['when a line within three changed', { after: withLine(4, '  audit(order, 2);') }, 'near'],
    ['when the function around it changed', { after: withLine(2, '  const kept = await read(order);') }, 'near'],
    ['when its file has another name', { after: { 'a.ts': null, 'b.ts': textOf(...BODY) } }, 'near'],
    ['not when another function changed', { after: withLine(14, '  fourth(4);') }, null],
    ['not when another file changed', { after: { 'b.ts': 'more();\n' } }, null],
    [
      'not when its line only moved',
      { after: { 'a.ts': textOf('// a new line on top', '', '', '', '', ...BODY) } },
      null,
    ],
    [
      'not by a comment that silences a check on its line',
      { after: withLine(7, '  save(order); // eslint-disable-line') },
      null,
    ],
    ['not by such a comment above its line', { after: withLine(7, '  // nosec', '  save(order);') }, null],
    ['not by such a comment for the whole file', { after: { 'a.ts': textOf('/* eslint-disable */', ...BODY) } }, null],
    ['when its line changed beside such a comment', { after: withLine(7, '  await save(order); // noqa') }, 'touched'],
    ['when somebody answered', { after: {}, more: { answered: true } }, 'answered'],
    [
      'a P2 with code that changed elsewhere',
      { after: { 'b.ts': 'await drain();\n' }, more: { severity: 'P2' }, evidence: 'await drain();' },
      'elsewhere',
    ],
    [
      'not a P1 with code that changed elsewhere',
      { after: { 'b.ts': 'await drain();\n' }, evidence: 'await drain();' },
      null,
    ],
    [
      'not a P2 with a comment that changed elsewhere',
      { after: { 'b.ts': '// awaited now\n' }, more: { severity: 'P2' }, evidence: '// awaited now' },
      null,
    ],
    [
      'not a P2 with prose that changed elsewhere',
      { after: { 'notes.md': 'It is awaited.\n' }, more: { severity: 'P2' }, evidence: 'It is awaited.' },
      null,
    ],
    [
      'not a P2 with a bracket that changed elsewhere',
      { after: { 'b.ts': '}\n' }, more: { severity: 'P2' }, evidence: '}' },
      null,
    ],
    [
      'not a P2 with code that was there before',
      { after: { 'b.ts': 'x();\n' }, more: { severity: 'P2' }, evidence: 'first();' },
      null,
    ],
    ['not a P2 by itself', { after: { 'b.ts': 'x();\n' }, more: { severity: 'P2' } }, null],
  ])('%s', async (_name, given, expected) => {
    expect(await why(given)).toBe(expected);
  });

  test('not by what was pushed before its last cycle', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const raised = world.commit(BEFORE);
    const cycledAt = world.commit(withLine(7, '  save(order, true);'));
    const head = world.commit({ 'b.ts': 'more();\n' });
    const open = { ...thread('a.ts', 7, raised), cycledAt };
    const packet = await buildPacket(request(base, head, { openThreads: [open] }), world.source());
    expect(packet.openThreads).toMatchObject([{ touch: { kind: 'untouched' }, legalActions: [], handling: 'waits' }]);
  });

  test('by what replaced its line before its last cycle, once that is rewritten too', async () => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const raised = world.commit(BEFORE);
    const cycledAt = world.commit(withLine(7, '  save(order, true);'));
    const head = world.commit(withLine(7, '  await save(order);'));
    const open = { ...thread('a.ts', 7, raised), cycledAt };
    const packet = await buildPacket(request(base, head, { openThreads: [open] }), world.source());
    expect(packet.openThreads).toMatchObject([{ touch: { kind: 'touched' }, handling: 'must' }]);
  });

  test('of the old side when its lines come back', async () => {
    const base = world.commit(BEFORE);
    const raised = world.commit(withLine(7));
    const head = world.commit(BEFORE);
    const open = { ...thread('a.ts', 7, raised), place: { path: 'a.ts', side: 'old' as const, startLine: 7, line: 7 } };
    const packet = await buildPacket(request(base, head, { openThreads: [open] }), world.source());
    expect(packet.openThreads).toMatchObject([{ touch: { kind: 'touched' } }]);
  });
});

describe('a rule that does not fire any more', () => {
  const EVAL = 'export const run = (text) => eval(text);';
  const silentAfter = async (after: Record<string, string>, rule: string) => {
    const base = world.commit({ 'README.md': 'shop\n' });
    const raised = world.commit({ 'a.js': textOf(EVAL) });
    const head = world.commit({ ...after, 'last.txt': 'pushed\n' });
    const open = { ...thread('a.js', 1, raised), rule };
    const packet = await buildPacket(request(base, head, { openThreads: [open] }), world.source());
    const input = { packet, task: TASK, revisions: world.source().revisions, scope: SCOPE };
    const result = await createRulesRunner().run(input, AbortSignal.timeout(60_000));
    return result.kind === 'draft' ? (result.draft.silent ?? []) : null;
  };

  test('says so when it ran to its end', async () => {
    expect(await silentAfter({ 'a.js': 'export const one = 1;\n' }, 'js-eval')).toEqual(['F-001']);
  });

  test('says nothing when it does not exist any more', async () => {
    expect(await silentAfter({ 'a.js': 'export const one = 1;\n' }, 'js-of-an-earlier-release')).toEqual([]);
  });
});
