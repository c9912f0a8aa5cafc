/** A change request with more findings than the ledger can keep apart: a person is called, once, and nothing passes. */
import { describe, expect, it } from 'vitest';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { LEDGER_MAX_FINDINGS } from '../../../../shared/rounds/memory/merge-ledgers.ts';
import type { CheckedFinding } from '../../../../shared/rounds/model/draft.ts';
import type { History, Thread } from '../../../../shared/rounds/model/history.ts';
import type { FullPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import * as make from '../builders.ts';

/** A claim of its own: no two are taken for the same. */
const claimAt = (path: string, severity: 'P1' | 'P3' = 'P1'): CheckedFinding =>
  make.finding({}, { path, severity, title: `Wrong in ${path}`, evidence: `code('${path}');`, body: `About ${path}.` });

const threadAt = (number: number, path: string, patch: Partial<Thread>): Thread => {
  const { claim, fingerprint } = claimAt(path);
  const id = `F-${String(number).padStart(3, '0')}` as const;
  return make.thread({ id, fingerprint, place: claim, title: claim.title, ...patch });
};

/** As many findings as fit; the given ones first, the others resolved. */
const fullHistory = (open: readonly Thread[] = []): History => {
  const rest = Array.from({ length: LEDGER_MAX_FINDINGS - open.length }, (_, index) =>
    threadAt(open.length + index + 1, `old-${index}.ts`, { state: 'resolved' }),
  );
  return make.history({
    threads: [...open, ...rest],
    reviewsDone: 1,
    roundsUsed: 1,
    runsUsed: 1,
    nextNumber: LEDGER_MAX_FINDINGS + 1,
    verdict: 'feedback',
    reviewed: [make.reviewedAt(make.sha('before'))],
  });
};

type Case = { readonly findings: readonly CheckedFinding[]; readonly history?: History; readonly rounds?: number };

const planOf = ({ findings, history = fullHistory(), rounds = 3 }: Case): FullPlan => {
  const draft = make.draft({ review: history.reviewsDone + 1, findings: [...findings] });
  const policy = make.policy({}, { max: rounds });
  const gated = gate(draft, history, policy);
  const run = make.run({ review: draft.review });
  return buildReviewPlan({ facts: make.changeRequest(), history, policy, run, draft, gated });
};

const handoffsOf = ({ notices }: FullPlan) =>
  notices.flatMap(({ marker, mention, calls, text }) =>
    marker.kind === 'handoff' ? [{ reason: marker.reason, mention, paths: calls?.paths, text }] : [],
  );

const resultOf = ({ summary, status, forgeVerdict }: FullPlan) => ({
  verdict: summary?.marker.verdict,
  status: status?.state,
  forgeVerdict,
});

const FULL = 'more findings than the bot can tell apart';

describe('a review whose findings do not fit into the ledger', () => {
  it('calls a person once, for the files of what blocks: those that wait, and the new ones', () => {
    const open = [
      threadAt(1, 'graver.ts', { state: 'vetoed', severity: 'P0' }),
      threadAt(2, 'open.ts', { state: 'open' }),
      threadAt(3, 'nit.ts', { state: 'open', severity: 'P3', blocking: false }),
    ];
    const plan = planOf({ findings: [claimAt('new.ts'), claimAt('suggested.ts', 'P3')], history: fullHistory(open) });
    expect(handoffsOf(plan)).toEqual([
      {
        reason: 'ledger_full',
        mention: true,
        paths: ['graver.ts', 'open.ts', 'new.ts'],
        text: expect.stringContaining(FULL),
      },
    ]);
    expect(resultOf(plan)).toMatchObject({ verdict: 'feedback', status: 'failure' });
  });

  it('lists what blocks in the call and in the summary, and opens no further thread', () => {
    const plan = planOf({ findings: [claimAt('new.ts')] });
    const [call] = handoffsOf(plan);
    expect(call?.text).toContain('in `new.ts:3` (F-201, no thread)');
    expect(plan.summary?.text).toContain('| F-201 |');
    expect(plan.inline).toEqual([]);
  });

  it.each([
    ['before', 3],
    ['in', 2],
  ])('opens no further thread %s the last round, also when the forge has more than fit', (_, rounds) => {
    const more = [1, 2, 3].map((number) => threadAt(LEDGER_MAX_FINDINGS + number, `more-${number}.ts`, {}));
    const { threads, ...history } = fullHistory();
    const findings = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'].map((path) => claimAt(path));
    const plan = planOf({ findings, history: { ...history, threads: [...threads, ...more] }, rounds });
    expect(plan.inline).toEqual([]);
    expect(handoffsOf(plan).map(({ reason }) => reason)).toEqual(['ledger_full']);
  });

  it('is no pass where only a suggestion is too much', () => {
    const plan = planOf({ findings: [claimAt('suggested.ts', 'P3')] });
    expect(handoffsOf(plan).map(({ reason, paths }) => [reason, paths])).toEqual([['ledger_full', []]]);
    expect(resultOf(plan)).toMatchObject({ verdict: 'inconclusive', status: 'error' });
    expect(plan.summary?.text).toContain('more findings than can be told apart');
  });

  it('calls once, also when the same review uses the last round', () => {
    const plan = planOf({ findings: [claimAt('new.ts')], rounds: 2 });
    expect(handoffsOf(plan).map(({ reason }) => reason)).toEqual(['ledger_full']);
  });

  it('keeps open findings rather than resolved ones, and as many as fit', () => {
    const { summary } = planOf({ findings: [claimAt('new.ts')] });
    const ledger = summary?.marker.ledger ?? [];
    expect(ledger).toHaveLength(LEDGER_MAX_FINDINGS);
    expect(ledger.filter(({ state }) => state === 'open').map(({ id }) => id)).toEqual(['F-201']);
  });
});

describe('a review whose findings just fit', () => {
  it('calls nobody', () => {
    const history = fullHistory();
    const threads = history.threads.slice(0, -1);
    const plan = planOf({ findings: [claimAt('new.ts')], history: { ...history, threads } });
    expect(handoffsOf(plan)).toEqual([]);
    expect(plan.summary?.marker.ledger).toHaveLength(LEDGER_MAX_FINDINGS);
  });

  it('passes when everything in it is resolved', () => {
    const plan = planOf({ findings: [] });
    expect([handoffsOf(plan), resultOf(plan)]).toEqual([
      [],
      expect.objectContaining({ verdict: 'lgtm', status: 'success' }),
    ]);
  });
});
