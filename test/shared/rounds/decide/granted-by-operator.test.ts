/** A round that an operator grants: like `review --full` by a commander, without a comment on the forge. */
import { describe, expect, it } from 'vitest';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import { MAX_GRANTS_PER_DAY } from '../../../../shared/rounds/model/state.ts';
import { decide } from '../decide-alone.ts';
import * as make from '../builders.ts';

const head = make.sha('head');
const GRANT = make.forgeEvent('review_requested', {
  id: 'grant-one',
  actorId: null,
  actorLogin: 'console',
  byOperator: true,
  grantsRound: true,
});
const REVIEWED = { reviewsDone: 1, runsUsed: 1, roundsUsed: 1, reviewed: [make.at(head)] };

const decided = (patch: Partial<DecideInput> = {}) =>
  decide({
    state: make.state(REVIEWED),
    events: [GRANT],
    facts: make.facts(),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  });

describe('a round that an operator grants', () => {
  it('has a reviewed head reviewed again as a whole, and counts as granted', () => {
    const { state, steps } = decided();
    expect([state.wanted?.head, state.asked?.full, state.granted]).toEqual([head, true, 1]);
    expect(steps).toContainEqual({ effect: 'want', reason: 'an operator granted a round (console)' });
  });

  it('is granted once, also if a crash repeats the event', () => {
    const first = decided({ events: [GRANT] });
    expect(first.state.granted).toBe(1);
    const seenCommands = first.state.seenCommands ?? make.facts().seenCommands;
    const again = decided({ state: first.state, facts: make.facts({ seenCommands }) });
    expect(again.state.granted).toBe(1);
    expect(again.steps.map(({ reason }) => reason)).toContain('this round was already granted');
  });

  it('is another one with another id', () => {
    const facts = make.facts({ seenCommands: { untilMs: 0, keys: ['grant-grant-one'] } });
    expect(decided({ facts }).state.granted).toBe(0);
    expect(decided({ facts, events: [{ ...GRANT, id: 'grant-two' }] }).state.granted).toBe(1);
  });

  it('overrides drafts, filters, the pause of the change request and disabled triggers', () => {
    const facts = make.facts({ changeRequest: make.changeRequest({ draft: true, labels: ['no'] }) });
    const { filters } = make.policy();
    const policy = make.policy({ triggers: [], filters: { ...filters, ignoreLabels: ['no'] } });
    const { state } = decided({ facts, policy, state: make.state({ ...REVIEWED, pauses: 1 }) });
    expect([state.wanted?.head, state.granted]).toEqual([head, 1]);
  });

  it('is refused in the conversation when no more may be granted today', () => {
    const grantedAtMs = Array.from({ length: MAX_GRANTS_PER_DAY }, () => make.NOW - 1);
    const { state } = decided({ state: make.state({ ...REVIEWED, granted: 3, grantedAtMs }) });
    expect(state.granted).toBe(3);
    expect(state.outbox).toMatchObject([
      { kind: 'answer', note: expect.stringMatching(/^event-[0-9a-f]{12}$/), say: { kind: 'no_grant' } },
    ]);
  });

  it('needs both marks of an operator', () => {
    const { grantsRound: _grants, ...asked } = GRANT;
    expect(decided({ events: [asked] }).state.granted).toBe(0);
    const { byOperator: _by, ...claimed } = GRANT;
    expect(decided({ events: [claimed] }).state.granted).toBe(0);
  });

  it('survives the inbox', () => {
    expect(InboxEvent.parse(JSON.parse(JSON.stringify(GRANT)))).toEqual(GRANT);
  });
});
