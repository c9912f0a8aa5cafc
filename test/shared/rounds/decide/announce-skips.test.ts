/** `review.announce_skips`: the reason in the commit status, for every rule. */
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import { skipReason } from '../../../../shared/rounds/decide/filters.ts';
import type { SkipRule } from '../../../../shared/rounds/model/command-reply.ts';
import { buildStatusPlan } from '../../../../shared/rounds/plan/status-plan.ts';
import type { PlannedStatus } from '../../../../shared/rounds/model/posting/post-plan.ts';
import * as make from '../builders.ts';
import { facing, inputOf, SKIPPED } from './skipped-cases.ts';

const CONTEXT = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };

/** Of a change request that guard sees for the first time. */
const statusOf = (patch: Partial<DecideInput>, announceSkips: boolean): PlannedStatus | null => {
  const input = inputOf(patch);
  const state = { ...input.state, placed: null };
  const { outbox } = decide({
    ...input,
    state,
    policy: { ...input.policy, announceSkips },
    events: [make.forgeEvent('metadata')],
  }).state;
  const [written] = outbox.flatMap((effect) => (effect.kind === 'write_status' ? [effect] : []));
  return written === undefined ? null : buildStatusPlan(CONTEXT, written).status;
};

/** Without the setting these have no status. */
const UNSAID: ReadonlySet<SkipRule> = new Set<SkipRule>(['unwanted_branch', 'opened_off', 'pushed_off']);

describe('the status of a skipped change request', () => {
  it.each(SKIPPED)('%s: says the reason, whole, and never passes', (rule, patch) => {
    const reason = skipReason(rule, inputOf(patch).policy);
    expect(statusOf(patch, true)).toEqual({ state: 'pending', description: `Not reviewed: ${reason}` });
    expect(`Not reviewed: ${reason}`.length).toBeLessThanOrEqual(60);
  });

  it.each(SKIPPED)('%s: is as before where it is not announced', (rule, patch) => {
    expect(statusOf(patch, false)?.state ?? null).toBe(UNSAID.has(rule) ? null : 'pending');
  });

  it('is not planned for a change request that is reviewed or about to be', () => {
    const opened = inputOf({ state: make.state({ placed: null }), events: [make.forgeEvent('opened')] });
    const { outbox } = decide({ ...opened, policy: { ...opened.policy, announceSkips: true } }).state;
    expect(outbox.map(({ kind }) => kind)).not.toContain('write_status');
    const reviewed = { state: make.state({ reviewed: [make.at(make.sha('head'))] }) };
    expect(statusOf({ ...reviewed, policy: make.policy({ triggers: ['mention'] }) }, true)).toBeNull();
  });
});

describe('a reason that changes while the commit stays', () => {
  const draft = inputOf({ facts: facing({ draft: true }), state: make.state({ placed: null }) });
  const said = decide({ ...draft, events: [make.forgeEvent('metadata')] }).state;
  const next = (patch: Partial<DecideInput>): readonly string[] => {
    const later = { ...draft, state: { ...said, outbox: [] }, events: [make.forgeEvent('metadata')], ...patch };
    return decide(later).state.outbox.flatMap((effect) =>
      effect.kind === 'write_status' ? [buildStatusPlan(CONTEXT, effect).status?.description ?? 'none'] : [],
    );
  };

  it('is written into the status once', () => {
    expect(said.placed?.waits).toBe('the change request is a draft');
    expect(next({})).toEqual([]);
    const paused = { ...said, pauses: 1, outbox: [] };
    expect(next({ state: paused })).toEqual(['Not reviewed: reviews of this change request are paused']);
  });

  it('gives way to a plain one when only a trigger is missing, and to the review', () => {
    const ready = { facts: facing({ draft: false }) };
    expect(next({ ...ready, policy: make.policy({ triggers: ['mention'] }) })).toEqual(['Not reviewed yet']);
    expect(next({ ...ready, events: [make.forgeEvent('ready')] })).toEqual([]);
  });

  it('is not written over a verdict', () => {
    const judged = { ...said, outbox: [], pauses: 1, reviewed: [make.at(make.sha('head'))] };
    expect(next({ state: judged })).toEqual([]);
  });
});
