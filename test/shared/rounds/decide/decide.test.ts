import { describe, expect, it } from 'vitest';
import { decide } from '../decide-alone.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { ForgeEvent, InboxEvent } from '../../../../shared/rounds/model/events.ts';
import type { Effect } from '../../../../shared/rounds/model/effect.ts';
import type { CommandRequest } from '../../../../shared/rounds/model/facts.ts';
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

/** Not the first input of its change request. */
const LATER = make.state({ runsUsed: 1, closed: [make.at(make.sha('older'))] });

const kinds = (commands: readonly Effect[]): readonly string[] =>
  commands.map(({ kind }) => kind).filter((kind) => kind !== 'schedule' && kind !== 'acknowledge');

const reasons = (given: DecideInput): readonly string[] => decide(given).steps.map(({ reason }) => reason);

const PAUSE: CommandRequest = {
  noteId: 40,
  kind: 'conversation',
  authorId: make.AUTHOR_ID,
  allowed: true,
  spoken: { kind: 'pause' },
};

describe('what a forge event leads to', () => {
  const head = make.changeRequest().head;
  const byOtherBot = { actorId: make.OTHER_BOT_ID };
  const called = { facts: make.facts({ requests: [make.request()] }) };
  it.each([
    ['a new change request asks for a slot', make.forgeEvent('opened'), {}, ['acquire_slot']],
    ['a push asks for a slot', make.forgeEvent('pushed'), {}, ['acquire_slot']],
    [
      'a head that the bot pushed asks for a slot',
      make.forgeEvent('pushed', { actorId: make.BOT_ID }),
      {},
      ['acquire_slot'],
    ],
    ['what the bot says causes nothing', make.forgeEvent('comment', { actorId: make.BOT_ID, noteId: 4 }), called, []],
    ['a head that another bot pushed asks for a slot', make.forgeEvent('pushed', byOtherBot), {}, ['acquire_slot']],
    ['what another bot says causes nothing', make.forgeEvent('comment', { ...byOtherBot, noteId: 4 }), called, []],
    ['a review by another bot causes nothing', make.forgeEvent('human_review', byOtherBot), called, []],
    [
      'a review that another bot asks for causes nothing',
      make.forgeEvent('review_requested', { ...byOtherBot, requestedReviewerId: make.BOT_ID }),
      {},
      [],
    ],
    ['a label causes nothing', make.forgeEvent('metadata'), {}, []],
    ['a reaction causes nothing', make.forgeEvent('reaction'), {}, []],
    ['a human review causes nothing', make.forgeEvent('human_review'), {}, []],
    ['a comment that does not address the bot causes nothing', make.forgeEvent('comment', { noteId: 4 }), {}, []],
    [
      'a request of the bot as reviewer asks for a slot',
      make.forgeEvent('review_requested', { requestedReviewerId: make.BOT_ID }),
      {},
      ['acquire_slot'],
    ],
    [
      'a request of somebody else causes nothing',
      make.forgeEvent('review_requested', { requestedReviewerId: 3 }),
      {},
      [],
    ],
    [
      'a request of several reviewers with the bot among them asks for a slot',
      make.forgeEvent('review_requested'),
      {
        facts: make.facts({
          changeRequest: make.changeRequest({ reviewers: [{ id: make.BOT_ID, login: 'fixpoint' }] }),
        }),
      },
      ['acquire_slot'],
    ],
    ['a request of several others causes nothing', make.forgeEvent('review_requested'), {}, []],
    [
      'a reviewed head causes nothing',
      make.forgeEvent('pushed'),
      { state: make.state({ reviewed: [make.at(head)] }) },
      [],
    ],
    [
      'a head with its last word causes nothing',
      make.forgeEvent('pushed'),
      { state: make.state({ closed: [make.at(head)] }) },
      [],
    ],
    [
      'a head that is being reviewed causes nothing',
      make.forgeEvent('pushed'),
      { state: make.state({ running: make.run() }) },
      [],
    ],
    [
      'a draft causes nothing',
      make.forgeEvent('pushed'),
      { facts: make.facts({ changeRequest: make.changeRequest({ draft: true }) }) },
      [],
    ],
    [
      'a trigger that is switched off causes nothing',
      make.forgeEvent('pushed'),
      { policy: make.policy({ triggers: ['opened'] }) },
      [],
    ],
  ] as const)('%s', (_name, event, patch, expected) => {
    expect(kinds(decide(input({ events: [event], ...patch })).state.outbox)).toEqual(expected);
  });

  const asked = make.forgeEvent('review_requested', { requestedReviewerId: make.BOT_ID });
  const outsideFilter = make.policy();
  const narrow = { ...outsideFilter, filters: { ...outsideFilter.filters, labels: ['review-me'] } };
  const draft = make.changeRequest({ draft: true });

  it.each<[name: string, patch: Partial<DecideInput>]>([
    ['a draft', { facts: make.facts({ changeRequest: draft }) }],
    ['a change request outside the filters', { policy: narrow }],
  ])('F-E9: a request by the button reviews %s only for one who may command', (_name, patch) => {
    const { facts = make.facts() } = patch;
    const decided = (mayRequest?: ReadonlySet<number>) =>
      kinds(
        decide(input({ ...patch, events: [asked], facts: { ...facts, ...(mayRequest ? { mayRequest } : {}) } })).state
          .outbox,
      );
    expect(decided()).toEqual([]);
    expect(decided(new Set([make.AUTHOR_ID + 1_000]))).toEqual([]);
    expect(decided(new Set([asked.actorId ?? 0]))).toEqual(['acquire_slot']);
  });

  it('a request by the button of one who may command has the verdict said again, once per press, as the command does', () => {
    const press = (id: string) => ({ ...asked, id });
    const facts = make.facts({ mayRequest: new Set([asked.actorId ?? 0]) });
    const answers = (patch: Partial<DecideInput>) =>
      decide(
        input({ events: [press('one')], facts, state: make.state({ reviewed: [make.at(head)] }), ...patch }),
      ).state.outbox.flatMap((command) => (command.kind === 'answer' ? [[command.note, command.say.kind]] : []));
    expect(answers({})).toEqual([[expect.stringMatching(/^event-[0-9a-f]{12}$/), 'verdict']]);
    expect(answers({ events: [press('one'), press('two')] })).toHaveLength(2);
    expect(answers({ facts: make.facts() })).toEqual([]);
    expect(answers({ events: [{ ...press('one'), byOperator: true }] })).toEqual([]);
    expect(answers({ state: make.state({ reviewed: [make.at(head)], running: make.run({ head }) }) })).toEqual([]);
  });

  it('a request by the button of one who may command has a head reviewed that was given up, as the command does', () => {
    const facts = make.facts({ mayRequest: new Set([asked.actorId ?? 0]) });
    const state = make.state({ closed: [make.at(head)] });
    expect(kinds(decide(input({ events: [asked], facts, state })).state.outbox)).toEqual(['acquire_slot']);
    expect(kinds(decide(input({ events: [asked], state })).state.outbox)).toEqual([]);
  });

  it('F-C16: a request by the button of one who may not command ends no pause and waits for quiet', () => {
    const policy = make.policy({ quietMs: 30_000 });
    const { wanted, quiet, outbox } = decide(input({ events: [asked], policy, state: LATER })).state;
    expect([wanted, quiet?.head, kinds(outbox)]).toEqual([null, head, []]);
    const mayRequest = new Set([asked.actorId ?? 0]);
    const commander = decide(input({ events: [asked], policy, state: LATER, facts: make.facts({ mayRequest }) }));
    expect(kinds(commander.state.outbox)).toEqual(['acquire_slot']);
  });

  it.each<[name: string, kind: ForgeEvent['kind'], patch: Partial<DecideInput['policy']['filters']>, wanted: boolean]>([
    ['a label that the filter waits for', 'metadata', { labels: ['bug'] }, true],
    ['a label that no filter waits for', 'metadata', { labels: ['other'] }, false],
    ['the loss of a label that was ignored', 'metadata', { ignoreLabels: ['wip'] }, true],
    ['a label that is ignored', 'metadata', { ignoreLabels: ['bug'] }, false],
    ['a target branch that the filter lets pass', 'retargeted', { targetBranches: ['main'] }, true],
    ['another target branch', 'retargeted', { targetBranches: ['release/**'] }, false],
    ['any edit without filters', 'metadata', {}, false],
  ])('F-R14: hears at once of %s, also where pushes start no review', (_name, kind, filters, wanted) => {
    const policy = make.policy({ triggers: ['opened'] });
    const given = input({
      events: [make.forgeEvent(kind)],
      facts: make.facts({ changeRequest: make.changeRequest({ labels: ['bug'] }) }),
      policy: { ...policy, filters: { ...policy.filters, ...filters } },
    });
    expect(kinds(decide(given).state.outbox)).toEqual(wanted ? ['acquire_slot'] : []);
  });

  it('F-R14: a filter that passes reviews nothing where neither opening nor pushing does', () => {
    const policy = make.policy({ triggers: ['mention'] });
    const given = input({
      events: [make.forgeEvent('metadata')],
      facts: make.facts({ changeRequest: make.changeRequest({ labels: ['bug'] }) }),
      policy: { ...policy, filters: { ...policy.filters, labels: ['bug'] } },
    });
    expect(decide(given).state.outbox).toEqual([]);
  });

  it('lets an explicit request overrule draft and quiet time', () => {
    const facts = make.facts({
      changeRequest: make.changeRequest({ draft: true }),
      requests: [make.request()],
    });
    const events = [make.forgeEvent('comment', { noteId: 4 })];
    const decision = decide(input({ events, facts, policy: make.policy({ quietMs: 30_000 }) }));
    expect(kinds(decision.state.outbox)).toEqual(['acquire_slot']);
    const quiet = { head: make.sha('head'), untilMs: make.NOW + 9 };
    const waiting = decide(input({ events, facts, state: make.state({ quiet }) }));
    expect(kinds(waiting.state.outbox)).toContain('acquire_slot');
  });

  it('takes no command from somebody who may not give it', () => {
    const facts = make.facts({ requests: [make.request({ allowed: false })] });
    const given = input({ events: [make.forgeEvent('comment', { noteId: 4 })], facts });
    expect(decide(given).state.outbox).toEqual([]);
    expect(reasons(given)).toEqual(['the author of the comment may not give the bot commands']);
  });

  it.each([
    ['labels', { labels: ['review-me'] }, 'the label review-me is missing'],
    ['ignored authors', { ignoreAuthors: ['author'] }, 'the author is ignored'],
    ['authors', { authors: ['somebody'] }, 'reviews are limited to other authors'],
    ['branches', { targetBranches: ['release/*'] }, 'reviews are limited to other target branches'],
  ])('keeps to the filter on %s', (_name, filter, reason) => {
    const policy = make.policy();
    const given = input({
      events: [make.forgeEvent('opened')],
      policy: { ...policy, filters: { ...policy.filters, ...filter } },
    });
    expect(reasons(given)).toEqual([reason]);
  });

  it.each([
    ['every branch', { targetBranches: ['**'] }],
    ['the branches of a folder', { targetBranches: ['release/**', 'm*'] }],
    ['branches with an end', { targetBranches: ['*ain'] }],
    ['several branches', { targetBranches: ['{main,dev}'] }],
    ['authors by pattern', { authors: ['Auth*'] }],
  ])('F-C4: reviews what a pattern lets pass: %s', (_name, filter) => {
    const policy = make.policy();
    const given = input({
      events: [make.forgeEvent('opened')],
      policy: { ...policy, filters: { ...policy.filters, ...filter } },
    });
    expect(reasons(given)[0]).not.toContain('reviews are limited to other');
  });

  it.each(['closed', 'merged'] as const)('ends everything when the change request is %s', (gone) => {
    const facts = make.facts({ changeRequest: make.changeRequest({ state: gone }) });
    const state = make.state({ running: make.run(), wanted: make.at(make.sha('newer')), slotHeld: true });
    const decision = decide(input({ facts, state }));
    expect(decision.state).toMatchObject({ running: null, wanted: null, slotHeld: false });
    expect(kinds(decision.state.outbox)).toEqual(['post_closed', 'release_slot']);
  });

  it.each<[string, Partial<DecideInput>]>([
    ['merged', { facts: make.facts({ changeRequest: make.changeRequest({ state: 'merged' }) }) }],
    ['deleted', { facts: make.facts({ changeRequest: null }) }],
    ['paused', { facts: make.facts({ orders: [PAUSE] }) }],
  ])('gives a slot back that it got just before the change request was %s', (_name, patch) => {
    const state = make.state({ wanted: make.at(make.sha('head')), slotHeld: true });
    const decision = decide(input({ state, ...patch }));
    expect(decision.state).toMatchObject({ running: null, wanted: null, slotHeld: false });
    expect(kinds(decision.state.outbox)).toContain('release_slot');
  });

  it.each([
    ['is being reviewed', { running: make.run() }, ['head']],
    ['waits for quiet', { quiet: { head: make.sha('quiet'), untilMs: 9 } }, ['quiet']],
    ['waits for a slot', { wanted: make.at(make.sha('wanted')) }, ['wanted']],
    [
      'is being reviewed while a newer one waits',
      { running: make.run(), wanted: make.at(make.sha('newer')) },
      ['head', 'newer'],
    ],
    ['is both reviewed and wanted', { running: make.run(), wanted: make.at(make.sha('head')) }, ['head']],
  ] as const)('has last words for a head that %s when the change request ends', (_what, patch, heads) => {
    const facts = make.facts({ changeRequest: make.changeRequest({ state: 'closed' }) });
    const [first, ...more] = decide(input({ facts, state: make.state(patch) })).state.outbox;
    expect(first).toEqual({ kind: 'post_closed', heads: heads.map(make.sha), noticeId: make.runId('fresh') });
    expect(more).toEqual([]);
  });

  it.each([{ changeRequest: null }, { changeRequest: make.changeRequest({ state: 'merged' }) }])(
    'has nothing to say when no head waits, or nobody could read it',
    (patch) => {
      const state = patch.changeRequest === null ? make.state({ running: make.run() }) : make.state();
      expect(decide(input({ facts: make.facts(patch), state })).state.outbox).toEqual([]);
    },
  );
});

describe('the acknowledgement', () => {
  it('follows every trigger that is taken, with the comment that asked', () => {
    const facts = make.facts({ requests: [make.request()] });
    const events = [make.forgeEvent('comment', { noteId: 4 })];
    const [first] = decide(input({ events, facts })).state.outbox;
    const noticeId = make.runId('fresh');
    expect(first).toEqual({ kind: 'acknowledge', input: make.at(make.sha('head')), noteId: 4, noticeId });
    const [pushed] = decide(input({ events: [make.forgeEvent('pushed')], policy: make.policy({ quietMs: 9 }) })).state
      .outbox;
    expect(pushed).toEqual({ kind: 'acknowledge', input: make.at(make.sha('head')), noteId: null, noticeId });
  });

  it('is not given to what is refused', () => {
    const state = make.state({ reviewed: [make.at(make.sha('head'))] });
    expect(decide(input({ events: [make.forgeEvent('pushed')], state })).state.outbox).toEqual([]);
  });
});

describe('the quiet time', () => {
  const policy = make.policy({ quietMs: 30_000 });

  it('makes a new head wait and looks again afterwards', () => {
    const decision = decide(input({ events: [make.forgeEvent('pushed')], policy, state: LATER }));
    expect(decision.state).toMatchObject({
      wanted: null,
      quiet: { head: make.sha('head'), untilMs: make.NOW + 30_000 },
    });
    expect(decision.state.outbox).toMatchObject([
      { kind: 'acknowledge' },
      { kind: 'schedule', delayMs: 30_050, event: { source: 'wake' } },
    ]);
  });

  it('lets the first input pass at once, unless its diff is not computed yet', () => {
    const opened = { events: [make.forgeEvent('opened')], policy };
    expect(kinds(decide(input(opened)).state.outbox)).toEqual(['acquire_slot']);
    const changeRequest = make.changeRequest({ mergeBase: null });
    const early = decide(input({ ...opened, facts: make.facts({ changeRequest }) })).state;
    expect([early.wanted, early.quiet?.head]).toEqual([null, make.sha('head')]);
  });

  it('wants the newest head when it is over', () => {
    const state = make.state({ quiet: { head: make.sha('older'), untilMs: make.NOW }, slotHeld: true });
    const decision = decide(input({ state, policy }));
    expect(decision.state).toMatchObject({
      quiet: null,
      wanted: null,
      running: { head: make.sha('head'), phase: 'announcing' },
    });
  });

  it('does not disturb a run on the head that came back', () => {
    const state = make.state({ running: make.run(), wanted: make.at(make.sha('other')) });
    expect(decide(input({ state, events: [make.forgeEvent('pushed')] })).state.wanted).toBeNull();
  });
});

describe('a run', () => {
  it('is announced before anything is spent, with its number on record', () => {
    const state = make.state({
      wanted: make.at(make.sha('head')),
      slotHeld: true,
      reviewsDone: 1,
      failedAttempts: 1,
      runsUsed: 3,
    });
    const decision = decide(input({ state }));
    const running = make.run({
      runId: make.runId('fresh'),
      review: 2,
      attempt: 2,
      phase: 'announcing',
      planId: `${make.runId('fresh')}-announce`,
      deadlineMs: make.NOW + 30_000,
    });
    expect(decision.state).toMatchObject({ running, wanted: null, runsUsed: 4 });
    expect(decision.state.outbox[0]).toEqual({ kind: 'announce', run: running, runsUsed: 4, supersededInRow: 0 });
  });

  it('waits in the project when no slot is held', () => {
    const decision = decide(input({ state: make.state({ wanted: make.at(make.sha('head')) }) }));
    expect(decision.state).toMatchObject({ running: null, wanted: make.at(make.sha('head')) });
    expect(kinds(decision.state.outbox)).toEqual(['acquire_slot']);
  });

  const announcing = make.run({ phase: 'announcing', planId: `${make.runId('run')}-announce` });
  const posting = make.run({ phase: 'posting', planId: `${make.runId('run')}-review` });
  it.each([
    ['announced, is reviewed', announcing, make.postEvent(announcing, 'posted'), ['review'], 'reviewing'],
    ['drafted, is posted', make.run(), make.runEvent(make.run(), 'drafted'), ['post_review'], 'posting'],
    ['posted, ends', posting, make.postEvent(posting, 'posted'), ['release_slot'], undefined],
  ] as const)('once %s', (_name, running, event, commands, phase) => {
    const decision = decide(input({ state: make.state({ running, slotHeld: true }), events: [event] }));
    expect(kinds(decision.state.outbox)).toEqual(commands);
    expect(decision.state.running?.phase).toBe(phase);
  });

  it('counts its round and forgets its failed attempts when it is posted', () => {
    const state = make.state({ running: posting, failedAttempts: 1, supersededInRow: 1 });
    expect(decide(input({ state, events: [make.postEvent(posting, 'posted')] })).state).toMatchObject({
      running: null,
      reviewsDone: 1,
      failedAttempts: 0,
      supersededInRow: 0,
      reviewed: [make.at(make.sha('head'), { base: null })],
    });
  });

  it.each([
    ['drafted', make.runEvent(make.run({ runId: make.runId('other') }), 'drafted')],
    ['posted', make.postEvent(make.run({ runId: make.runId('other'), planId: 'x' }), 'posted')],
  ])('ignores that another run was %s', (_name, event) => {
    const state = make.state({ running: make.run() });
    const given = input({ state, events: [event] });
    expect(decide(given).state).toEqual(state);
    expect(reasons(given)).toEqual(['the report is not about the current run']);
  });

  it('ignores a report of a phase that is over', () => {
    const state = make.state({ running: posting });
    expect(decide(input({ state, events: [make.runEvent(posting, 'drafted')] })).state).toEqual(state);
    expect(
      decide(input({ state, events: [make.postEvent({ ...posting, planId: 'x-announce' }, 'posted')] })).state,
    ).toEqual(state);
  });

  it('costs no model call when a newer head is wanted before the review began', () => {
    const state = make.state({ running: announcing, wanted: make.at(make.sha('newer')), slotHeld: true });
    const facts = make.facts({ changeRequest: make.changeRequest({ head: make.sha('newer') }) });
    const decision = decide(input({ state, facts, events: [make.postEvent(announcing, 'posted')] }));
    expect(decision.state).toMatchObject({ supersededInRow: 1, wanted: make.at(make.sha('newer')) });
    expect(kinds(decision.state.outbox)).toEqual(['release_slot', 'acquire_slot']);
  });

  it('must finish after two supersessions in a row', () => {
    const state = make.state({ wanted: make.at(make.sha('head')), slotHeld: true, supersededInRow: 2 });
    expect(decide(input({ state })).state.running).toMatchObject({ kind: 'review', mustFinish: true });
  });

  it('does not lose the newest head when a run is superseded and its event was lost', () => {
    const state = make.state({ running: make.run({ head: make.sha('old') }), slotHeld: true });
    const decision = decide(input({ state, events: [make.runEvent(make.run(), 'superseded')] }));
    expect(decision.state.wanted).toEqual(make.at(make.sha('head')));
  });
});

describe('failed attempts', () => {
  it('start the round again while attempts are left', () => {
    const state = make.state({ running: make.run(), slotHeld: false });
    const decision = decide(input({ state, events: [make.runEvent(make.run(), 'failed')] }));
    expect(decision.state).toMatchObject({ running: null, failedAttempts: 1, wanted: make.at(make.sha('head')) });
  });

  it('Q2: end with a hand-off at once when the review took down its processes', () => {
    const failed = make.runEvent(make.run(), 'failed', 'WORKER_DIED');
    const { state } = decide(input({ state: make.state({ running: make.run() }), events: [failed] }));
    expect(state.outbox).toEqual([
      { kind: 'give_up', run: expect.objectContaining({ phase: 'giving_up', attempt: 1 }), code: 'WORKER_DIED' },
      expect.objectContaining({ kind: 'schedule' }),
    ]);
  });

  it('end with a hand-off when none is left, and close the head', () => {
    const second = make.run({ attempt: 2 });
    const failed = decide(
      input({ state: make.state({ running: second, failedAttempts: 1 }), events: [make.runEvent(second, 'failed')] }),
    );
    expect(kinds(failed.state.outbox)).toEqual(['give_up']);
    const givingUp = failed.state.running;
    if (givingUp === null) throw new Error('the run has ended too early');
    const ended = decide(
      input({ state: { ...failed.state, outbox: [] }, events: [make.postEvent(givingUp, 'posted')] }),
    );
    expect(ended.state).toMatchObject({ running: null, closed: [make.at(make.sha('head'))], reviewsDone: 0 });
  });

  it('close no head that moved before anybody was called for it', () => {
    const givingUp = make.run({ head: make.sha('old'), attempt: 2, phase: 'giving_up', planId: 'failure' });
    const after = (outcome: 'posted' | 'head_moved') =>
      decide(
        input({
          state: make.state({ running: givingUp, failedAttempts: 2 }),
          events: [make.postEvent(givingUp, outcome)],
        }),
      ).state;
    expect(after('head_moved')).toMatchObject({ closed: [], failedAttempts: 0, wanted: make.at(make.sha('head')) });
    expect(after('posted')).toMatchObject({ closed: [make.at(make.sha('old'))], failedAttempts: 0 });
  });

  it.each(['announcing', 'reviewing', 'posting'] as const)('include a run that is overdue while %s', (phase) => {
    const running = make.run({ phase, deadlineMs: make.NOW });
    for (const events of [[], [make.runEvent(running, 'overdue')]]) {
      const { state, steps } = decide(input({ state: make.state({ running }), events }));
      expect(state.failedAttempts).toBe(1);
      expect(steps.map(({ reason }) => reason)).toContain('attempt 1 failed: RUN_OVERDUE');
    }
  });

  it('do not come from an overdue event of an earlier phase', () => {
    const running = make.run({ deadlineMs: make.NOW + 1 });
    const state = make.state({ running });
    expect(decide(input({ state, events: [make.runEvent(running, 'overdue')] })).state).toEqual(state);
  });
});
