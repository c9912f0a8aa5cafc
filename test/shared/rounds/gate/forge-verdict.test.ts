import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { buildCapPlan } from '../../../../shared/rounds/plan/cap-plan.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import {
  ForgeVerdictPolicy,
  type ForgeVerdict,
  PlannedForgeVerdict,
  type StandingVerdict,
} from '../../../../shared/vocabulary/forge-verdict.ts';
import {
  decideForgeVerdict,
  FOR_OTHER_INPUT,
  refusedText,
  stepTowards,
} from '../../../../shared/rounds/gate/forge-verdict.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { Verdict } from '../../../../shared/vocabulary/finding.ts';
import { propertyRuns } from '../../../support/deep.ts';
import * as make from '../builders.ts';

const [HEAD, OLDER] = [make.sha('head'), make.sha('older')];

describe('what shall stand on the forge', () => {
  test.each([
    ['off', 'lgtm', null],
    ['off', 'feedback', null],
    ['off', 'inconclusive', null],
    ['off', null, null],
    ['request_changes', 'lgtm', 'clear'],
    ['request_changes', 'feedback', 'request_changes'],
    ['request_changes', 'inconclusive', 'no_approval'],
    ['request_changes', null, 'no_approval'],
    ['approve_and_request_changes', 'lgtm', 'approve'],
    ['approve_and_request_changes', 'feedback', 'request_changes'],
    ['approve_and_request_changes', 'inconclusive', 'no_approval'],
    ['approve_and_request_changes', null, 'no_approval'],
  ] as const)('with the option %s and the verdict %s is %s', (policy, verdict, planned) => {
    expect(decideForgeVerdict({ policy, verdict, currentHead: true })).toBe(planned);
  });

  test('is no more than the absence of an approval for a head that has moved on', () => {
    for (const policy of ForgeVerdictPolicy.options) {
      for (const verdict of Verdict.options) {
        const planned = decideForgeVerdict({ policy, verdict, currentHead: false });
        expect(planned).toBe(policy === 'off' ? null : FOR_OTHER_INPUT);
      }
    }
    expect(FOR_OTHER_INPUT).toBe('no_approval');
  });
});

const standing = (verdict: ForgeVerdict, head = HEAD, dismissed = false): StandingVerdict => ({
  verdict,
  head,
  dismissed,
  askedAgain: false,
});
const again = (before: StandingVerdict): StandingVerdict => ({ ...before, askedAgain: true });
const give = (verdict: ForgeVerdict) => ({ kind: 'give', verdict });
const withdraw = (...which: readonly ForgeVerdict[]) => ({ kind: 'withdraw', which });
const NOTHING = { kind: 'nothing' };

describe('the step towards it', () => {
  test.each([
    ['approve', null, give('approved')],
    ['approve', standing('approved'), NOTHING],
    ['approve', { ...standing('approved'), head: null }, NOTHING],
    ['approve', standing('approved', OLDER), give('approved')],
    ['approve', standing('approved', OLDER, true), give('approved')],
    ['approve', standing('approved', HEAD, true), NOTHING],
    ['approve', standing('changes_requested'), give('approved')],
    ['request_changes', null, give('changes_requested')],
    ['request_changes', standing('changes_requested'), NOTHING],
    ['request_changes', standing('changes_requested', OLDER), NOTHING],
    ['request_changes', standing('changes_requested', OLDER, true), give('changes_requested')],
    ['request_changes', standing('changes_requested', HEAD, true), NOTHING],
    ['request_changes', standing('approved'), give('changes_requested')],
    ['approve', again(standing('approved')), give('approved')],
    ['approve', again(standing('approved', HEAD, true)), give('approved')],
    ['request_changes', again(standing('changes_requested')), give('changes_requested')],
    ['request_changes', again(standing('changes_requested', OLDER)), give('changes_requested')],
    ['clear', again(standing('changes_requested')), withdraw('approved', 'changes_requested')],
    ['no_approval', again(standing('approved')), withdraw('approved')],
    ['no_approval', again(standing('changes_requested')), NOTHING],
    ['clear', null, NOTHING],
    ['clear', standing('changes_requested', OLDER), withdraw('approved', 'changes_requested')],
    ['clear', standing('approved'), withdraw('approved', 'changes_requested')],
    ['clear', standing('changes_requested', OLDER, true), NOTHING],
    ['no_approval', null, NOTHING],
    ['no_approval', standing('approved'), withdraw('approved')],
    ['no_approval', standing('approved', OLDER), withdraw('approved')],
    ['no_approval', standing('approved', OLDER, true), NOTHING],
    ['no_approval', standing('changes_requested', OLDER), NOTHING],
  ] as const)('%s from %j is %j', (planned, from, step) => {
    expect(stepTowards(planned, from, HEAD)).toEqual(step);
  });

  test('is taken once: what it leaves behind asks for nothing more', () => {
    const anyStanding = fc.option(
      fc.record({
        verdict: fc.constantFrom<ForgeVerdict>('approved', 'changes_requested'),
        head: fc.constantFrom(HEAD, OLDER, null),
        dismissed: fc.boolean(),
        askedAgain: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...PlannedForgeVerdict.options), anyStanding, (planned, from) => {
        const step = stepTowards(planned, from, HEAD);
        const gone = step.kind === 'withdraw' && from !== null && step.which.includes(from.verdict);
        const after = step.kind === 'give' ? standing(step.verdict) : gone ? null : from;
        expect(stepTowards(planned, after, HEAD)).toEqual(NOTHING);
        if (planned !== 'approve') expect(after?.verdict === 'approved' && !after.dismissed).toBe(false);
      }),
      propertyRuns(200, 5_000),
    );
  });
});

describe('plans', () => {
  const policy = make.policy({ forgeVerdict: 'approve_and_request_changes' });
  const context = { facts: make.changeRequest(), history: make.history(), policy };
  const run = make.run({ phase: 'posting' });
  const reviewOf = (findings: Parameters<typeof make.draft>[0], patch = {}) => {
    const draft = make.draft(findings);
    const input = { ...context, run, ...patch, draft, gated: gate(draft, context.history, policy) };
    return buildReviewPlan(input).forgeVerdict;
  };

  test('approve with a pass alone', () => {
    expect(reviewOf({})).toBe('approve');
    expect(reviewOf({ findings: [make.finding()] })).toBe('request_changes');
    const part = { files: 2, reviewed: 1, omitted: [{ path: 'b.ts', reason: 'too large' }], complete: false };
    expect(reviewOf({ coverage: part })).toBe('no_approval');
    expect(reviewOf({}, { facts: make.changeRequest({ head: OLDER }) })).toBe('no_approval');
  });

  test('of a begun, failed or capped review leave no approval behind', () => {
    const plans = [
      buildAnnouncePlan(context, { run, runsUsed: 1, supersededInRow: 0 }),
      buildGiveUpPlan(context, run, { code: 'RUN_OVERDUE', lastWords: null }),
      ...(['runs', 'silent', 'identity'] as const).map((cap) =>
        buildCapPlan(context, { input: make.at(HEAD), cap, noticeId: run.runId }),
      ),
    ];
    expect(plans.map(({ forgeVerdict }) => forgeVerdict)).toEqual(plans.map(() => 'no_approval'));
  });

  test('say nothing of it while the option is off', () => {
    const off = { ...context, policy: make.policy() };
    const draft = make.draft();
    const plans = [
      buildAnnouncePlan(off, { run, runsUsed: 1, supersededInRow: 0 }),
      buildReviewPlan({ ...off, run, draft, gated: gate(draft, off.history, off.policy) }),
      buildGiveUpPlan(off, run, { code: 'RUN_OVERDUE', lastWords: null }),
      buildCapPlan(off, { input: make.at(HEAD), cap: 'runs', noticeId: run.runId }),
    ];
    expect(plans.map(({ forgeVerdict }) => forgeVerdict)).toEqual(plans.map(() => null));
  });

  test('that were stored before there was the option still parse, without a word about it', () => {
    const { forgeVerdict: _, ...old } = buildGiveUpPlan(context, run, { code: 'RUN_OVERDUE', lastWords: null });
    expect(PostPlan.parse(old).forgeVerdict).toBeNull();
  });
});

test('what the forge refused is told with its reason', () => {
  expect(refusedText({ kind: 'give', verdict: 'approved' }, 'own')).toBe(
    "_The forge has no approval by the bot: the bot's account opened this change request itself._",
  );
  expect(refusedText({ kind: 'withdraw', which: ['approved', 'changes_requested'] }, 'forbidden')).toBe(
    "_An earlier approval or request for changes by the bot may still be in effect on the forge: the bot's account does not have permission to do this._",
  );
});
