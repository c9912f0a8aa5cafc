import { describe, expect, test } from 'vitest';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { buildClosedPlans } from '../../../../shared/rounds/plan/closed-plan.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { SummaryMarker } from '../../../../shared/rounds/model/marker-payload.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const facts = make.changeRequest({ state: 'closed' });
const policy = make.policy({ forgeVerdict: 'approve_and_request_changes' });
const noticeId = make.runId('notice');
const [HEAD, NEWER] = [make.sha('head'), make.sha('newer')];

const announced = buildAnnouncePlan(
  { facts: make.changeRequest(), history: make.history(), policy },
  { run: make.run(), runsUsed: 2, supersededInRow: 1 },
).summary.marker;

const historyWith = (marker: SummaryMarker) =>
  rebuildHistory({
    comments: [make.comment(`Words.\n\n${signMarker(marker, make.SECRET)}`)],
    key: make.KEY,
    botIds: new Set([make.BOT_ID]),
    secrets: [make.SECRET],
  });

const plansFor = (marker: SummaryMarker | null, heads = [HEAD]) => {
  const history = marker === null ? make.history() : historyWith(marker);
  return buildClosedPlans({ facts, history, policy }, { heads, noticeId });
};

describe('the plans for a change request that has ended', () => {
  test('give every head a status that neither waits nor passes, once each', () => {
    const plans = plansFor(announced, [HEAD, NEWER]);
    expect(plans.map(({ head, status, summary }) => [head, status, summary !== null])).toEqual([
      [HEAD, { state: 'error', description: 'Not reviewed: closed before the review was complete' }, true],
      [NEWER, { state: 'error', description: 'Not reviewed: closed before the review was complete' }, false],
    ]);
    expect(new Set(plans.map(({ planId }) => planId)).size).toBe(2);
    expect(plans.map((plan) => PostPlan.parse(JSON.parse(JSON.stringify(plan))))).toEqual(plans);
    expect(plans.map(({ forgeVerdict, allowStale }) => [forgeVerdict, allowStale])).toEqual([
      [null, false],
      [null, false],
    ]);
  });

  test('correct the summary that says that a review is in progress, and forget nothing of it', () => {
    const [plan] = plansFor(announced);
    expect(plan?.summary?.marker).toEqual({ ...announced, phase: 'failed', until: null });
    expect(plan?.summary?.text).toMatch(
      /^\*\*Not reviewed\*\*: closed too early\n\nThe review of `[0-9a-f]+` was not complete when .* closed\./,
    );
  });

  test('leave a summary alone that says how a review ended, and make none', () => {
    for (const phase of ['posted', 'failed'] as const) {
      expect(plansFor({ ...announced, phase, until: null })[0]?.summary).toBeNull();
    }
    expect(plansFor(null)[0]?.summary).toBeNull();
  });

  test('leave nothing that a wiped guard would take for a run', () => {
    const [plan] = plansFor(announced);
    const marker = plan?.summary?.marker;
    if (marker === undefined) throw new Error('the summary is corrected');
    expect(reconcile(null, historyWith(announced)).running).not.toBeNull();
    expect(reconcile(null, historyWith(marker))).toMatchObject({ running: null, runsUsed: 2 });
  });
});
