import { describe, expect, test } from 'vitest';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { inOneComment } from '../../../../shared/rounds/plan/in-one-comment.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import * as make from '../builders.ts';

const NONE = { summary: null };

const givenUp = () => {
  const context = { facts: make.changeRequest(), history: make.history({ runsUsed: 2 }), policy: make.policy() };
  return buildGiveUpPlan(context, make.run({ attempt: 2 }), { code: 'MODEL_REFUSED', lastWords: null });
};

describe('a hand-off while the forge has no summary', () => {
  test('is one comment that says why, and counts the runs', () => {
    const plan = givenUp();
    const { summary, notices } = inOneComment(plan, NONE);
    expect([summary, notices.length]).toEqual([null, 1]);
    expect(notices[0]?.text.startsWith(plan.summary.text)).toBe(true);
    expect(notices[0]?.text).not.toContain('The summary says why');
    const comments = notices.map(({ marker }) => make.comment(signMarker(marker, make.SECRET)));
    const history = rebuildHistory({ comments, key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] });
    expect(history).toMatchObject({ runsUsed: 2, closed: [{ head: make.changeRequest().head }], summary: null });
  });

  test('leaves a plan alone when the forge has a summary, or nobody is called', () => {
    const plan = givenUp();
    const summary = { comment: make.comment(''), marker: plan.summary.marker };
    expect(inOneComment(plan, { summary })).toBe(plan);
    const draft = make.draft();
    const input = { facts: make.changeRequest(), history: make.history(), policy: make.policy(), run: make.run() };
    const review = buildReviewPlan({ ...input, draft, gated: gate(draft, input.history, input.policy) });
    expect(inOneComment(review, NONE)).toBe(review);
  });
});
