/** Findings that no comment on a line shows. */
import { expect, it } from 'vitest';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import type { CheckedFinding } from '../../../../shared/rounds/model/draft.ts';
import { summary as marker } from '../../text/marker-fixture.ts';
import * as make from '../builders.ts';

const unplaced = (title: string, severity: 'P1' | 'P2', blocking: boolean): CheckedFinding =>
  make.finding({ position: null, unplaced: 'not in the diff' }, { title, severity, blocking, evidence: `${title}();` });

const planWith = (findings: readonly CheckedFinding[], hasSummary: boolean) => {
  const summary = hasSummary ? { marker, comment: make.comment('The summary.') } : null;
  const history = make.history({ summary });
  const draft = make.draft({ findings: [...findings] });
  const context = { facts: make.changeRequest(), history, policy: make.policy() };
  return buildReviewPlan({
    ...context,
    run: make.run({ phase: 'posting' }),
    draft,
    gated: gate(draft, history, context.policy),
  });
};

it('are told in a short comment where the summary is only edited', () => {
  const findings = [unplaced('The lock is never released', 'P1', false)];
  const { inline, notices } = planWith(findings, true);
  expect(inline).toEqual([]);
  expect(notices.map((notice) => [notice.marker.kind, notice.mention])).toEqual([['notice', false]]);
  expect(notices[0]?.text).not.toBe('');
  expect(planWith(findings, false).notices).toEqual([]);
  expect(planWith([], true).notices).toEqual([]);
});

it('are listed in the summary, first what blocks, then by severity', () => {
  const { summary } = planWith(
    [unplaced('Third', 'P2', false), unplaced('First', 'P1', true), unplaced('Second', 'P2', true)],
    false,
  );
  const text = [summary.text, ...(summary.folds ?? []).map((fold) => fold.text)].join('\n');
  const notes = text.slice(text.indexOf('#### Additional notes'));
  expect([...notes.matchAll(/: (First|Second|Third)\*\* in/g)].map(([, title]) => title)).toEqual([
    'First',
    'Second',
    'Third',
  ]);
});
