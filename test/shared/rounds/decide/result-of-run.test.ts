/** What becomes of a result that guard did not expect, and of the run of an input that has changed. */
import { describe, expect, it } from 'vitest';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import * as make from '../builders.ts';
import { decide } from '../decide-alone.ts';

const HEAD = make.sha('head');
const input = (patch: Partial<DecideInput>): DecideInput => ({
  state: make.state(),
  events: [],
  facts: make.facts(),
  policy: make.policy(),
  nowMs: make.NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

const reasonsOf = (given: DecideInput): readonly string[] => decide(given).steps.map(({ reason }) => reason);

describe('a run that reports the same input', () => {
  const carried = make.carried(HEAD);
  const same: InboxEvent = {
    source: 'run',
    kind: 'same_input',
    id: 'same',
    atMs: 0,
    runId: make.run().runId,
    code: null,
    carried,
  };
  const state = make.state({ running: make.run(), runsUsed: 1 });

  it('carries the verdict of the review that is known', () => {
    const history = make.history({ reviewed: [make.reviewedAt(HEAD, { verdict: 'lgtm' })], reviewsDone: 1 });
    const { outbox } = decide(input({ state, events: [same], facts: make.facts({ history }) })).state;
    expect(outbox.map(({ kind }) => kind)).toContain('post_carried');
  });

  it('has failed where that review is no longer known', () => {
    expect(reasonsOf(input({ state, events: [same] }))).toContain('attempt 1 failed: NOTHING_TO_CARRY');
  });
});

describe('a run that answers in threads', () => {
  const running = make.replyRun({ deadlineMs: make.NOW + 60_000 });
  const history = make.history({
    reviewed: [make.reviewedAt(HEAD)],
    reviewsDone: 1,
    verdict: 'feedback',
    threads: [make.thread()],
  });
  const given = (answers: Parameters<typeof make.draft>[0]) =>
    input({
      state: make.state({ running, runsUsed: 2, reviewsDone: 1, reviewed: [make.at(HEAD)], slotHeld: true }),
      events: [make.runEvent(running, 'drafted')],
      facts: make.facts({ history, draft: make.draft(answers), answers: [{ findingId: 'F-001', noteId: 50 }] }),
    });

  it('posts its answer, and nothing else', () => {
    const answer = {
      findingId: 'F-001',
      stance: 'seeks_change',
      action: 'reply',
      severity: null,
      body: 'No.',
    } as const;
    const [first] = decide(given({ answers: [answer] })).state.outbox;
    expect(first).toMatchObject({ kind: 'post_replies', handled: [{ thread: { id: 'F-001' }, answer }] });
  });

  it('has failed where it answers another thread', () => {
    const answer = {
      findingId: 'F-009',
      stance: 'seeks_change',
      action: 'reply',
      severity: null,
      body: 'No.',
    } as const;
    expect(reasonsOf(given({ answers: [answer] }))).toContain('attempt 1 failed: PROTOCOL_VIOLATION');
  });
});

describe('the input of a running review', () => {
  const woken: InboxEvent = { source: 'wake', id: 'w', atMs: 0 };
  const wantedAfter = (patch: Partial<ReturnType<typeof make.changeRequest>>) =>
    decide(
      input({
        state: make.state({ running: make.run(), runsUsed: 1 }),
        events: [woken],
        facts: make.facts({ changeRequest: make.changeRequest(patch) }),
      }),
    ).state.wanted;

  it('is followed to another target branch, which no event tells', () => {
    expect(wantedAfter({ targetBranch: 'next' })).toMatchObject({ head: HEAD, target: 'next' });
  });

  it('is not followed to another head, which its own event tells', () => {
    expect(wantedAfter({ head: make.sha('next') })).toBeNull();
    expect(wantedAfter({})).toBeNull();
  });
});
