import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Packet, PacketThread } from '../../../../services/reviewer/packet/packet.ts';
import { createRulesRunner } from '../../../../services/reviewer/runners/rules.ts';
import type { RunnerDraft } from '../../../../services/reviewer/run/runner.ts';
import { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createReviewWorld, type ReviewWorld, SCOPE, TASK } from '../review-world.ts';

let world: ReviewWorld;
beforeAll(() => {
  world = createReviewWorld();
});
afterAll(() => world.dispose());

const head = CommitSha.parse('a'.repeat(40));
const place = (line: number) => ({ path: 'src/ä.ts', side: 'new' as const, startLine: line, line });

const threadOf = (thread: Partial<PacketThread>): PacketThread => ({
  id: 'F-001',
  fingerprint: 'f',
  severity: 'P1',
  blocking: true,
  title: 'eval runs a computed string as code',
  rule: 'js-eval',
  place: place(1),
  head,
  count: 1,
  stance: 'seeks_change',
  legalActions: ['resolve', 'veto', 'escalate', 'reply'],
  review: 1,
  citedText: 'eval(x);',
  now: place(1),
  replies: [],
  handling: 'must',
  ...thread,
});

const packetOf = (text: string, changed: readonly number[], openThreads: readonly PacketThread[]): Packet => ({
  head,
  targetHead: head,
  base: head,
  diff: { files: [] },
  reviewable: [],
  patchFingerprint: 'f'.repeat(64),
  excluded: [],
  byOperator: new Set(),
  onlyRules: new Set(),
  omitted: [],
  changed: [{ path: 'src/ä.ts', text, changedLines: new Set(changed) }],
  kinds: new Map(),
  scanOnly: [],
  notOnForge: new Set(),
  policy: {},
  seenBefore: null,
  withheld: new Set(),
  quiet: new Set(),
  delta: null,
  touchedSince: null,
  openThreads,
  closedThreads: [],
  unverified: [],
  headText: async (path) => (path === 'src/ä.ts' ? text : null),
  baseText: async () => null,
});

describe('the rules runner', () => {
  const runner = createRulesRunner();
  const signal = new AbortController().signal;
  const review = async (packet: Packet, until = signal): Promise<RunnerDraft> => {
    const result = await runner.run({ packet, task: TASK, revisions: world.source().revisions, scope: SCOPE }, until);
    if (result.kind !== 'draft') throw new Error(result.kind);
    return result.draft;
  };

  it('is named as it is chosen in the configuration', () => {
    expect(runner.name).toBe('rules');
  });

  it('drafts findings and answers without a model call', async () => {
    const { wallMs, ...spent } = (await review(packetOf('ok();\n', [1], []))).spent;
    expect(spent).toEqual({ turns: 1, modelCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 });
    expect(wallMs).toBeGreaterThanOrEqual(0);
  });

  it('opens, keeps and closes threads from round to round', async () => {
    const first = await review(packetOf('eval(x);\neval(y);\n', [1, 2], []));
    expect(first.findings.map(({ line, rule }) => [line, rule])).toEqual([
      [1, 'js-eval'],
      [2, 'js-eval'],
    ]);
    const threads = [
      threadOf({ now: null }),
      threadOf({ id: 'F-002', place: place(2), citedText: 'eval(y);', now: place(3) }),
    ];
    const second = await review(packetOf('parse(x);\n\neval(y);\nif (n === NaN) stop();\n', [1, 2, 3, 4], threads));
    expect(second.findings.map(({ line, rule }) => [line, rule])).toEqual([[4, 'js-compare-nan']]);
    expect(second.answers.map(({ findingId, action }) => [findingId, action])).toEqual([
      ['F-001', 'resolve'],
      ['F-002', 'reply'],
    ]);
  });

  it('hands on what no rule could read, so that the review is not complete', async () => {
    const { omitted } = await review(packetOf('// filler\n'.repeat(110_000), [1], []));
    expect(omitted).toEqual([{ path: 'src/ä.ts', reason: 'longer than 1000000 characters' }]);
  });

  it('obeys the signal', async () => {
    const aborted = AbortSignal.abort(new Error('superseded'));
    await expect(review(packetOf('eval(x);\n', [1], []), aborted)).rejects.toThrow('superseded');
  });
});
