import { describe, expect, it } from 'vitest';
import { decide } from '../decide-alone.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import type { Effect } from '../../../../shared/rounds/model/effect.ts';
import * as make from '../builders.ts';

const input = (patch: Partial<DecideInput> & { events?: readonly InboxEvent[] }): DecideInput => ({
  state: make.state(),
  events: [],
  facts: make.facts(),
  policy: make.policy(),
  nowMs: make.NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

const kinds = (commands: readonly Effect[]): readonly string[] =>
  commands.map(({ kind }) => kind).filter((kind) => kind !== 'schedule' && kind !== 'acknowledge');

describe('the caps', () => {
  it.each([
    ['runs', make.state({ wanted: make.at(make.sha('head')), slotHeld: true, runsUsed: 6 })],
    ['silent', make.state({ wanted: make.at(make.sha('head')), slotHeld: true, runsUsed: 5, silentReviews: 4 })],
  ])('on %s end a new head without a run, once', (cap, state) => {
    const decision = decide(input({ state }));
    expect(decision.state).toMatchObject({ running: null, wanted: null, closed: [make.at(make.sha('head'))] });
    expect(decision.state.outbox).toEqual([
      { kind: 'post_cap', input: make.at(make.sha('head')), cap, noticeId: make.runId('fresh') },
      { kind: 'release_slot' },
    ]);
    const again = decide(input({ state: { ...decision.state, outbox: [] }, events: [make.forgeEvent('pushed')] }));
    expect(again.state.outbox).toEqual([]);
  });

  it.each([
    ['after the last round', { reviewsDone: 3, roundsUsed: 3, runsUsed: 3 }],
    [
      'after silent reviews and carried heads, which give their runs back',
      { runsUsed: 9, silentReviews: 3, carriedHeads: 1 },
    ],
  ])('review a head %s', (_name, counts) => {
    const state = make.state({ wanted: make.at(make.sha('head')), slotHeld: true, ...counts });
    expect(kinds(decide(input({ state })).state.outbox)).toEqual(['announce']);
  });

  it("do not start over when the bot's signature stands under an unknown account", () => {
    const facts = make.facts({ history: make.history({ disowned: true }) });
    const state = make.state({ wanted: make.at(make.sha('head')), slotHeld: true });
    expect(decide(input({ state, facts })).state.outbox).toMatchObject([
      { kind: 'post_cap', cap: 'identity' },
      { kind: 'release_slot' },
    ]);
    const known = make.facts({ history: make.history({ disowned: false, threads: [make.thread()] }) });
    expect(kinds(decide(input({ state, facts: known })).state.outbox)).toEqual(['announce']);
  });
});
