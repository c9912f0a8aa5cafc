import { describe, expect, it } from 'vitest';
import { isBlocking } from '../../../shared/rounds/blocking.ts';
import { buildRoundPlan } from '../../../shared/rounds/build-plan.ts';
import type { CiReading } from '../../../shared/rounds/ci.ts';
import { type ExceededBudget, exceededText } from '../../../shared/rounds/exceeded.ts';
import { gate } from '../../../shared/rounds/gate.ts';
import { ledgerAfter } from '../../../shared/rounds/ledger.ts';
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
  readonly thread: 'none' | 'resolved' | 'replied' | 'vetoed' | 'settled before' | 'unanswered';
  readonly ledgerFull: boolean;
  readonly exceeded: boolean;
  readonly ci: 'none' | CiReading['kind'];
};

const bools = [true, false] as const;
const CASES: { readonly [Key in keyof Case]: readonly Case[Key][] } = {
  complete: bools,
  currentHead: bools,
  unverified: bools,
  ledgerFull: bools,
  exceeded: bools,
  ci: ['none', 'passed', 'failed', 'pending', 'unreadable'],
  newFinding: ['none', 'P1', 'P2', 'P2 blocking', 'P3'],
  thread: ['none', 'resolved', 'replied', 'vetoed', 'settled before', 'unanswered'],
};

/** Only a budget that ran out leaves a thread without an answer. */
const cases: readonly Case[] = CASES.complete
  .flatMap((complete) => CASES.currentHead.map((currentHead) => ({ complete, currentHead })))
  .flatMap((some) => CASES.unverified.map((unverified) => ({ ...some, unverified })))
  .flatMap((some) => CASES.ledgerFull.map((ledgerFull) => ({ ...some, ledgerFull })))
  .flatMap((some) => CASES.exceeded.map((exceeded) => ({ ...some, exceeded })))
  .flatMap((some) => CASES.ci.map((ci) => ({ ...some, ci })))
  .flatMap((some) => CASES.newFinding.map((newFinding) => ({ ...some, newFinding })))
  .flatMap((some) => CASES.thread.map((thread) => ({ ...some, thread })))
  .filter(({ thread, exceeded }) => exceeded || thread !== 'unanswered');

const ANSWERS: Readonly<Record<Case['thread'], readonly ThreadAnswer[]>> = {
  none: [],
  'settled before': [],
  unanswered: [],
  resolved: [{ findingId: 'F-001', stance: 'accepts', action: 'resolve', severity: null, body: '' }],
  replied: [{ findingId: 'F-001', stance: 'seeks_change', action: 'reply', severity: null, body: '' }],
  vetoed: [{ findingId: 'F-001', stance: 'seeks_change', action: 'veto', severity: null, body: '' }],
};

const EXCEEDED: ExceededBudget = { budget: 'money', scope: 'project', limit: 100_000_000 };

const CI: Readonly<Record<Case['ci'], CiReading | null>> = {
  none: null,
  passed: { kind: 'passed' },
  failed: { kind: 'failed', contexts: ['build'] },
  pending: { kind: 'pending', contexts: ['build'] },
  unreadable: { kind: 'unreadable' },
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
  const exceeded = given.exceeded ? EXCEEDED : null;
  const draft = make.draft({
    round: 2,
    findings: [...fresh, ...doubtful],
    answers: [...ANSWERS[given.thread]],
    exceeded,
  });
  const gated = gate(draft, make.history({ threads, nextNumber: 2 }), make.policy({}, { max: 9 }));
  expect(gated.violations).toEqual([]);
  const coverage = { files: 1, reviewed: given.complete ? 1 : 0, omitted: [], complete: given.complete };
  const { currentHead, ledgerFull } = given;
  return judgeRound({ coverage, gated, currentHead, ledgerFull, exceeded, ci: CI[given.ci] });
};

/** What CI makes of a round that nothing else keeps from a pass. */
const AFTER_CI = {
  none: 'lgtm',
  passed: 'lgtm',
  failed: 'feedback',
  pending: 'inconclusive',
  unreadable: 'inconclusive',
};

describe('the verdict', () => {
  it(`has one road to lgtm among ${cases.length} combinations`, () => {
    for (const given of cases) {
      const blocks =
        given.newFinding === 'P1' ||
        given.newFinding === 'P2 blocking' ||
        ['replied', 'vetoed', 'settled before', 'unanswered'].includes(given.thread);
      const doubts = !given.complete || !given.currentHead || given.unverified || given.ledgerFull;
      const expected = given.exceeded
        ? 'inconclusive'
        : blocks
          ? 'feedback'
          : doubts
            ? 'inconclusive'
            : AFTER_CI[given.ci];
      expect([given, judge(given).verdict]).toEqual([given, expected]);
    }
  });

  it('of a review that was cut short names the budget, and everything that blocks all the same', () => {
    for (const given of cases.filter(({ exceeded }) => exceeded)) {
      const [first, ...rest] = judge(given).reasons;
      expect(first).toBe('reviewer_budget_exceeded: the budget of this project for today ($100) is used up');
      const named = [
        ...(['P1', 'P2 blocking'].includes(given.newFinding) ? ['is new and blocks'] : []),
        ...(['replied', 'vetoed'].includes(given.thread) ? ['still blocks'] : []),
        ...(given.thread === 'unanswered' ? ['was not looked at and blocks'] : []),
        ...(given.thread === 'settled before' ? ['waits for a human and blocks'] : []),
      ];
      expect(rest.map((reason) => reason.replace(/^F-\d+ /, ''))).toEqual(named);
    }
  });
});

describe('a review that was cut short', () => {
  const threads = [make.thread({ id: 'F-001', count: 1 }), make.thread({ id: 'F-002', rule: 'js-eval' })];
  const history = make.history({ threads, nextNumber: 3 });
  const resolved: ThreadAnswer = {
    findingId: 'F-002',
    stance: 'accepts',
    action: 'resolve',
    severity: null,
    body: 'Gone.',
  };
  const draft = make.draft({ round: 2, answers: [resolved], exceeded: EXCEEDED });

  it('leaves the threads that it did not get to as they are, and shows them', () => {
    const gated = gate(draft, history, make.policy());
    expect(gated.violations).toEqual([]);
    expect(gated.handled.map(({ thread }) => thread.id)).toEqual(['F-002']);
    expect(gated.unanswered).toEqual([threads[0]]);
    const after = ledgerAfter(history, draft, gated).entries.map(({ id, state, count }) => ({ id, state, count }));
    expect(after.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
      { id: 'F-001', state: 'open', count: 1 },
      { id: 'F-002', state: 'resolved', count: 1 },
    ]);
    const facts = make.changeRequest();
    const run = make.run({ round: 2 });
    const plan = buildRoundPlan({ facts, history, policy: make.policy(), run, draft, gated });
    expect(plan.summary.text).toMatch(/\| F-001 .* \| open \|\n\| F-002 .* \| resolved \|/);
    expect(plan.summary.text).toContain('`inconclusive`');
    expect({ status: plan.status.state, replies: plan.replies.length }).toEqual({ status: 'error', replies: 0 });
    expect(plan.closures.map(({ marker }) => marker.id)).toEqual(['F-002']);
  });

  it('is no excuse for two answers to one thread, or for one to no thread', () => {
    const wrong = { ...resolved, findingId: 'F-009' };
    const violations = (answers: readonly ThreadAnswer[]) =>
      gate({ ...draft, answers: [...answers] }, history, make.policy()).violations;
    expect(violations([resolved, resolved])).toEqual(['F-002 has 2 actions instead of exactly one']);
    expect(violations([wrong])).toEqual(['F-009 is no open thread']);
    expect(gate({ ...draft, exceeded: null }, history, make.policy()).violations).toEqual([
      'F-001 has 0 actions instead of exactly one',
    ]);
  });
});

describe('the words for a budget', () => {
  it.each<[ExceededBudget, string]>([
    [{ budget: 'turns', scope: 'run', limit: 8 }, 'the budget of one run (8 turns)'],
    [{ budget: 'wall', scope: 'run', limit: 600_000 }, 'the budget of one run (600 s)'],
    [{ budget: 'tokens', scope: 'change_request', limit: 15 }, 'the budget of this change request (15 tokens)'],
    [{ budget: 'money', scope: 'day', limit: 2_500_000 }, 'the budget of the installation for today ($2.5)'],
    [{ budget: 'context', scope: 'run', limit: 0 }, 'the budget of one run (the context of the model)'],
  ])('%j', (exceeded, words) => {
    expect(exceededText(exceeded)).toBe(words);
  });
});
