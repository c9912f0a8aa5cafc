import { describe, expect, it } from 'vitest';
import { isBlocking } from '../../../shared/rounds/blocking.ts';
import { gate } from '../../../shared/rounds/gate.ts';
import { judgeRound } from '../../../shared/rounds/verdict.ts';
import { Relation, Severity, type ThreadAnswer } from '../../../shared/rounds/vocabulary.ts';
import * as make from './builders.ts';

describe('what blocks', () => {
  const table = Severity.options.flatMap((severity) =>
    Relation.options.flatMap((relation) => [true, false].map((blocking) => ({ severity, relation, blocking }))),
  );
  it.each(table)('for $severity, $relation, model says $blocking', (claim) => {
    const inside = claim.relation !== 'outside_diff';
    const grave = claim.severity === 'P0' || claim.severity === 'P1';
    expect(isBlocking(claim)).toBe(inside && (grave || (claim.severity === 'P2' && claim.blocking)));
  });
});

type Case = {
  readonly complete: boolean;
  readonly currentHead: boolean;
  readonly unverified: boolean;
  readonly newFinding: 'none' | 'P1' | 'P2' | 'P2 blocking' | 'P3';
  readonly thread: 'none' | 'resolved' | 'replied' | 'vetoed' | 'settled before';
  readonly ledgerFull: boolean;
};

const bools = [true, false] as const;
const cases: readonly Case[] = bools.flatMap((complete) =>
  bools.flatMap((currentHead) =>
    bools.flatMap((unverified) =>
      bools.flatMap((ledgerFull) =>
        (['none', 'P1', 'P2', 'P2 blocking', 'P3'] as const).flatMap((newFinding) =>
          (['none', 'resolved', 'replied', 'vetoed', 'settled before'] as const).map((thread) => ({
            complete,
            currentHead,
            unverified,
            newFinding,
            thread,
            ledgerFull,
          })),
        ),
      ),
    ),
  ),
);

const ANSWERS: Readonly<Record<Case['thread'], readonly ThreadAnswer[]>> = {
  none: [],
  'settled before': [],
  resolved: [{ findingId: 'F-001', stance: 'accepts', action: 'resolve', severity: null, body: '' }],
  replied: [{ findingId: 'F-001', stance: 'seeks_change', action: 'reply', severity: null, body: '' }],
  vetoed: [{ findingId: 'F-001', stance: 'seeks_change', action: 'veto', severity: null, body: '' }],
};

const judge = (given: Case) => {
  const threads =
    given.thread === 'none' ? [] : [make.thread({ state: given.thread === 'settled before' ? 'vetoed' : 'open' })];
  const severity = given.newFinding === 'P2 blocking' ? 'P2' : given.newFinding;
  const place = { path: 'new.ts', title: 'Quite another matter', evidence: 'fresh();' };
  const fresh =
    severity === 'none' ? [] : [make.finding({}, { ...place, severity, blocking: given.newFinding === 'P2 blocking' })];
  const doubtful = given.unverified
    ? [make.finding({ evidenced: false }, { path: 'far.ts', title: 'Unproved', evidence: 'zzz' })]
    : [];
  const draft = make.draft({ round: 2, findings: [...fresh, ...doubtful], answers: [...ANSWERS[given.thread]] });
  const gated = gate(draft, make.history({ threads, nextNumber: 2 }), make.policy({}, { max: 9 }));
  expect(gated.violations).toEqual([]);
  const coverage = { files: 1, reviewed: given.complete ? 1 : 0, omitted: [], complete: given.complete };
  return judgeRound({ coverage, gated, currentHead: given.currentHead, ledgerFull: given.ledgerFull, exceeded: null })
    .verdict;
};

describe('the verdict', () => {
  it(`has one road to lgtm among ${cases.length} combinations`, () => {
    for (const given of cases) {
      const blocks =
        given.newFinding === 'P1' ||
        given.newFinding === 'P2 blocking' ||
        ['replied', 'vetoed', 'settled before'].includes(given.thread);
      const doubts = !given.complete || !given.currentHead || given.unverified || given.ledgerFull;
      expect([given, judge(given)]).toEqual([given, blocks ? 'feedback' : doubts ? 'inconclusive' : 'lgtm']);
    }
  });
});
