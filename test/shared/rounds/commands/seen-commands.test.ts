import { describe, expect, it } from 'vitest';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { ReviewCommand } from '../../../../shared/rounds/model/facts.ts';
import { commandKey, markSeen, seenSoFar } from '../../../../shared/rounds/commands/seen-commands.ts';
import { GuardState, MAX_SEEN_COMMANDS } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const SWEEP = { source: 'sweep', id: 's', atMs: 0, head: make.sha('head') } as const;
const DRAFT = { changeRequest: make.changeRequest({ draft: true }) };

/** Its status says already that it is a draft. */
const placed = { head: make.sha('head'), target: 'main', waits: 'the change request is a draft' };

const decided = (patch: Partial<DecideInput>) =>
  decide({
    state: make.state({ placed }),
    events: [],
    facts: make.facts(),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  });

const outcome = (patch: Partial<DecideInput>) => {
  const { steps, state } = decided(patch);
  const [acknowledged] = state.outbox.flatMap((command) => (command.kind === 'acknowledge' ? [command.noteId] : []));
  return { reasons: [...new Set(steps.map(({ reason }) => reason))], acknowledged, wanted: state.wanted !== null };
};

const inline = make.request({ kind: 'inline', noteId: 6 });
const body = make.request({ kind: 'review_body', noteId: 5 });
const SLOT = 'a review of this project needs a free slot';

describe('a call', () => {
  it.each([
    ['inside a review is answered where a reaction can be given', 'human_review', [body, inline], 6],
    ['in the body of a review is heard', 'human_review', [body], null],
    ['that is allowed counts beside one that is not', 'human_review', [{ ...inline, allowed: false }, body], null],
  ] as const)('%s', (_name, kind, requests, acknowledged) => {
    const given = { events: [make.forgeEvent(kind)], facts: make.facts({ ...DRAFT, requests }) };
    expect(outcome(given)).toEqual({ reasons: ['trigger mention', SLOT], acknowledged, wanted: true });
  });

  it('that only the sweep knows of overrules a draft as any other', () => {
    const facts = make.facts({ ...DRAFT, requests: [inline] });
    expect(outcome({ events: [SWEEP], facts })).toEqual({
      reasons: ['the sweep found a mention', SLOT],
      acknowledged: 6,
      wanted: true,
    });
  });

  it.each([
    ['by nobody who may', [{ ...inline, allowed: false }], make.policy()],
    ['while calls are switched off', [inline], make.policy({ triggers: ['opened'] })],
    ['that is not there', [], make.policy()],
  ])('%s leaves the sweep a mere hint, which a draft ignores', (_name, requests: readonly ReviewCommand[], policy) => {
    const facts = make.facts({ ...DRAFT, requests });
    expect(outcome({ events: [SWEEP], facts, policy })).toEqual({
      reasons: ['the change request is a draft'],
      acknowledged: undefined,
      wanted: false,
    });
  });

  it.each([
    ['of somebody else', make.forgeEvent('human_review', { actorId: 8 }), [inline]],
    ['in the conversation', make.forgeEvent('human_review'), [make.request()]],
  ])('%s is none of a review', (_name, event, requests) => {
    const facts = make.facts({ ...DRAFT, requests });
    expect(outcome({ events: [event], facts }).reasons).toEqual(['the review does not address the bot']);
  });
});

describe('what was heard', () => {
  const refused = make.request({ noteId: 9, allowed: false });

  it.each(['open', 'closed'] as const)('is remembered whatever the answer was, on one that is %s', (state) => {
    const facts = make.facts({
      changeRequest: make.changeRequest({ state }),
      requests: [body, inline, refused],
      seenCommands: { untilMs: 3, keys: ['1', '6'] },
    });
    expect(decided({ events: [SWEEP], facts }).state.seenCommands).toEqual({
      untilMs: 3,
      keys: ['1', '6', 'review-5', '9'],
    });
  });

  it('tells a review from a comment with the same number', () => {
    expect([commandKey({ kind: 'review_body', id: '5' }), commandKey({ kind: 'inline', id: '5' })]).toEqual([
      'review-5',
      '5',
    ]);
  });

  it('never outgrows what can be stored, and forgets nothing that was heard', () => {
    const keys = Array.from({ length: MAX_SEEN_COMMANDS }, (_, index) => `${index + 100}`);
    const seenCommands = markSeen({ untilMs: 0, keys }, [inline], make.NOW);
    expect(seenCommands).toEqual({ untilMs: make.NOW, keys: [] });
    expect(GuardState.safeParse(make.state({ seenCommands: { untilMs: 0, keys } })).success).toBe(true);
  });

  it('begins with the bot’s last word where nothing is stored', () => {
    const bots = new Set([make.BOT_ID]);
    const all = [make.comment('x', { updatedAtMs: 70 }), make.comment('y', { updatedAtMs: 90, author: null })];
    expect(seenSoFar(null, all, bots)).toEqual({ untilMs: 70, keys: [] });
    expect(seenSoFar(null, [], bots)).toEqual({ untilMs: 0, keys: [] });
    expect(seenSoFar({ untilMs: 1, keys: ['2'] }, all, bots)).toEqual({ untilMs: 1, keys: ['2'] });
  });

  it('is nothing in a state that was stored before there was such a thing', () => {
    const { seenCommands, ...old } = make.state();
    expect(seenCommands).not.toBeNull();
    expect(GuardState.parse(old).seenCommands).toBeNull();
  });
});
