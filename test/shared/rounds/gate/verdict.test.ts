import { describe, expect, it } from 'vitest';
import { isBlocking } from '../../../../shared/rounds/model/blocking.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { type ExceededBudget, exceededText } from '../../../../shared/vocabulary/exceeded.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { isClear, judgeReview } from '../../../../shared/rounds/gate/verdict.ts';
import { ledgerAfter } from '../../../../shared/rounds/memory/ledger.ts';
import { Relation, Severity, type ThreadAnswer } from '../../../../shared/vocabulary/finding.ts';
import * as make from '../builders.ts';

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

const EXCEEDED: ExceededBudget = { budget: 'money', scope: 'project', limit: 100_000_000 };

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
  const resolvable = threads.map(({ id }) => ({ findingId: id, why: 'touched' as const }));
  const draft = make.draft({ review: 2, answers: [resolved], resolvable, exceeded: EXCEEDED });

  it('leaves the threads that it did not get to as they are, and shows them', () => {
    const gated = gate(draft, history, make.policy());
    expect(gated.violations).toEqual([]);
    expect(gated.handled.map(({ thread }) => thread.id)).toEqual(['F-002']);
    expect(gated.left).toEqual([{ thread: threads[0], why: 'not_looked_at' }]);
    const after = ledgerAfter(history, draft, gated).entries.map(({ id, state, count }) => ({ id, state, count }));
    expect(after.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
      { id: 'F-001', state: 'open', count: 1 },
      { id: 'F-002', state: 'resolved', count: 1 },
    ]);
    const facts = make.changeRequest();
    const run = make.run({ review: 2 });
    const plan = buildReviewPlan({ facts, history, policy: make.policy(), run, draft, gated });
    expect(plan.summary.text).toMatch(/\| High \| .* \| F-001 \|\n/);
    expect(plan.summary.text).toContain('**No verdict**');
    expect({ status: plan.status.state, replies: plan.replies.length }).toEqual({ status: 'error', replies: 0 });
    expect(plan.closures.map(({ marker }) => marker.id)).toEqual(['F-002']);
  });

  it('F-F18: is remembered as one that a budget ended, and no other review is', () => {
    const rememberedOf = (exceeded: ExceededBudget | null): unknown => {
      const answers = [resolved, { ...resolved, findingId: 'F-001' }];
      const ended = { ...draft, exceeded, answers };
      const gated = gate(ended, history, make.policy());
      const run = make.run({ review: 2 });
      const facts = make.changeRequest();
      const plan = buildReviewPlan({ facts, history, policy: make.policy(), run, draft: ended, gated });
      return plan.summary.marker.reviewed.at(-1)?.exceeded;
    };
    expect([rememberedOf(EXCEEDED), rememberedOf(null)]).toEqual([true, undefined]);
  });

  it('is no excuse for two answers to one thread, or for one to no thread', () => {
    const wrong = { ...resolved, findingId: 'F-009' };
    const violations = (answers: readonly ThreadAnswer[]) =>
      gate({ ...draft, answers: [...answers] }, history, make.policy()).violations;
    expect(violations([resolved, resolved])).toEqual(['F-002 has 2 actions instead of exactly one']);
    expect(violations([wrong])).toEqual(['F-009 is not an open thread']);
    expect(gate({ ...draft, exceeded: null }, history, make.policy()).violations).toEqual([
      'F-001 has 0 actions instead of exactly one',
    ]);
  });
});

it('F-A8: a change request that changes no file does not pass', () => {
  const draft = make.draft({ coverage: { files: 0, reviewed: 0, omitted: [], complete: true } });
  const input = { ...draft, gated: gate(draft, make.history(), make.policy()), currentHead: true, ledgerFull: false };
  expect(judgeReview(input)).toEqual({
    verdict: 'inconclusive',
    reasons: ['nothing to review: no file is changed'],
  });
  const one = { ...input, coverage: { files: 1, reviewed: 1, omitted: [], complete: true } };
  expect(judgeReview(one).verdict).toBe('lgtm');
});

it('a change that an analyzer did not check does not pass, however complete the review is', () => {
  const analyzers = [{ name: 'eslint', reason: 'did not end within 60 s' }];
  const draft = make.draft({ coverage: { files: 1, reviewed: 1, omitted: [], complete: true, analyzers } });
  const input = { ...draft, gated: gate(draft, make.history(), make.policy()), currentHead: true, ledgerFull: false };
  expect(judgeReview(input)).toEqual({
    verdict: 'inconclusive',
    reasons: ['analyzer `eslint` did not end within 60 s'],
  });
  expect(isClear(input)).toBe(false);
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
