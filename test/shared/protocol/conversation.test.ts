import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { MessageType } from '../../../shared/protocol/bodies.ts';
import {
  type MessageConversation,
  decideOrder,
  newConversation,
  type Order,
  replayConversation,
} from '../../../shared/protocol/conversation.ts';
import type { ReviewMessage } from '../../../shared/protocol/message.ts';
import { propertyRuns } from '../../support/deep.ts';
import { example, TYPES } from './examples.ts';

const RULES = { maxRounds: 3 };

let nextId = 0;

/** Every call makes another message. */
const say = (type: MessageType, body: object = {}, rest: object = {}): ReviewMessage => {
  const message = example(type);
  nextId += 1;
  // The changed fields are of the example's own types; what a test changes wrongly, the order must not care about.
  return { ...message, id: `m-${nextId}`, ...rest, body: { ...message.body, ...body } } as ReviewMessage;
};

const feedback = (round: number, body: object = {}) =>
  say('review_feedback', { round, escalation: undefined, ...body });
const addressed = (round: number) => say('review_addressed', { round });
const request = () => say('review_request');
const lgtm = () => say('review_lgtm');

const whole = (...messages: readonly ReviewMessage[]): MessageConversation => {
  for (const [index, message] of messages.entries()) {
    const before = replayConversation(messages.slice(0, index), RULES);
    expect(decideOrder(before, message, RULES).kind).toBe('accepted');
  }
  return replayConversation(messages, RULES);
};

const said = (order: Order): string =>
  order.kind === 'refused' ? `${order.reason}; expected ${order.expected}` : order.kind;

const PHASES: Readonly<Record<string, () => MessageConversation>> = {
  idle: () => newConversation(),
  requested: () => whole(request()),
  answered: () => whole(request(), feedback(1)),
  'answered without anything to do': () => whole(request(), feedback(1, { blocking_count: 0 })),
  addressed: () => whole(request(), feedback(1), addressed(1)),
  approved: () => whole(request(), lgtm()),
  escalated: () => whole(request(), feedback(1, { escalation: 'max_rounds_exceeded' })),
  'out of rounds': () =>
    whole(request(), feedback(1), addressed(1), request(), feedback(2), addressed(2), request(), feedback(3)),
};

const LEGAL: Readonly<Record<string, readonly MessageType[]>> = {
  idle: ['review_request'],
  requested: ['review_feedback', 'review_lgtm'],
  answered: ['review_addressed'],
  'answered without anything to do': ['review_request', 'review_addressed'],
  addressed: ['review_request'],
  approved: ['review_request'],
  escalated: [],
  'out of rounds': [],
};

const rows = Object.keys(PHASES).flatMap((phase) => TYPES.map((type) => [phase, type] as const));

describe('a conversation', () => {
  it.each(rows)('that is %s takes %s or refuses it as the table says', (phase, type) => {
    const conversation = PHASES[phase]?.() ?? newConversation();
    const round = Math.max(1, conversation.round);
    const order = decideOrder(
      conversation,
      say(type, type === 'review_request' || type === 'review_lgtm' ? {} : { round }),
      RULES,
    );
    expect(order.kind).toBe(LEGAL[phase]?.includes(type) === true ? 'accepted' : 'refused');
  });

  it('ends after one terminal answer: a second one is refused with what is expected', () => {
    const order = decideOrder(whole(request(), feedback(1)), lgtm(), RULES);
    expect(said(order)).toBe('review_lgtm is out of order; expected review_addressed of round 1 from ann');
  });

  it.each([
    [
      'feedback',
      whole(request()),
      feedback(2),
      'body.round is 2; expected review_feedback of round 1 from rex or review_lgtm of round 1 from rex',
    ],
    [
      'account',
      whole(request(), feedback(1)),
      addressed(2),
      'body.round is 2; expected review_addressed of round 1 from ann',
    ],
  ])('refuses the %s of another round', (_what, conversation, message, words) => {
    expect(said(decideOrder(conversation, message, RULES))).toBe(words);
  });

  it.each([
    [
      'an answer by the author',
      whole(request()),
      say('review_lgtm', {}, { from: 'ann', to: 'rex' }),
      'review_lgtm does not come from rex',
    ],
    [
      'an account by somebody else',
      whole(request(), feedback(1)),
      say('review_addressed', {}, { from: 'eve' }),
      'review_addressed does not come from ann',
    ],
    [
      'an answer to somebody else',
      whole(request()),
      say('review_lgtm', {}, { to: 'eve' }),
      'the message is not for ann',
    ],
    [
      'a request to somebody else',
      whole(request(), lgtm()),
      say('review_request', {}, { to: 'eve' }),
      'the message is not for rex',
    ],
    [
      'a request about another change',
      whole(request(), lgtm()),
      say('review_request', { pr: 42 }),
      'the message is not about change request 41',
    ],
    [
      'feedback on another change',
      whole(request()),
      say('review_feedback', {}, { related_pr: '42' }),
      'the message is not about change request 41',
    ],
  ])('refuses %s', (_what, conversation, message, reason) => {
    expect(decideOrder(conversation, message, RULES)).toMatchObject({ kind: 'refused', reason });
  });

  it('takes the same message twice as one, and another one under its id as a mistake', () => {
    const first = request();
    const conversation = whole(first);
    expect(decideOrder(conversation, structuredClone(first), RULES)).toEqual({ kind: 'repeated' });
    const forged = { ...first, subject: 'Another one' };
    expect(decideOrder(conversation, forged, RULES)).toMatchObject({ reason: 'another message has this id' });
  });

  it('says that nothing is left when the rounds are used up', () => {
    const used = whole(request(), feedback(1), addressed(1), request(), feedback(2), addressed(2), request(), lgtm());
    expect(decideOrder(used, request(), RULES)).toMatchObject({ expected: 'nothing more: no round is left' });
  });
});

const anything = fc.array(fc.tuple(fc.constantFrom(...TYPES), fc.integer({ min: 1, max: 4 }), fc.nat({ max: 1 })), {
  maxLength: 40,
});

test('whatever is said, at most so many rounds are asked for and each is answered at most once', () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 9 }), (steps, maxRounds) => {
      let conversation = newConversation();
      const accepted: MessageType[] = [];
      for (const [type, round, blocking] of steps) {
        const body =
          type === 'review_feedback'
            ? { round, blocking_count: blocking }
            : type === 'review_addressed'
              ? { round }
              : {};
        const order = decideOrder(conversation, say(type, body), { maxRounds });
        if (order.kind !== 'accepted') continue;
        accepted.push(type);
        conversation = order.conversation;
      }
      const requests = accepted.filter((type) => type === 'review_request').length;
      const answers = accepted.filter((type) => type === 'review_feedback' || type === 'review_lgtm').length;
      expect(requests).toBeLessThanOrEqual(maxRounds);
      expect([requests, requests - 1]).toContain(answers);
      expect(conversation.round).toBe(requests);
    }),
    propertyRuns(300, 20_000),
  );
});

describe('a reviewer who leads', () => {
  const LED = { maxRounds: 3, leader: 'rex' };
  const after = (...messages: readonly ReviewMessage[]): MessageConversation => replayConversation(messages, LED);
  const kindOf = (conversation: MessageConversation, message: ReviewMessage): string =>
    decideOrder(conversation, message, LED).kind;

  it('answers what nobody has asked for, and sets the round by which the author is held', () => {
    const told = after(feedback(2));
    expect(told).toMatchObject({ phase: 'answered', round: 2, author: 'ann', reviewer: 'rex', pr: 41 });
    expect([kindOf(told, addressed(1)), kindOf(told, addressed(2))]).toEqual(['refused', 'accepted']);
    expect(kindOf(after(lgtm()), addressed(1))).toBe('refused');
  });

  it('says a verdict anew in any phase', () => {
    const phases = [
      after(),
      after(request()),
      after(feedback(1)),
      after(feedback(1), addressed(1)),
      after(lgtm()),
      after(feedback(3)),
    ];
    expect(phases.map(({ phase }) => phase)).toEqual([
      'idle',
      'requested',
      'answered',
      'addressed',
      'approved',
      'ended',
    ]);
    for (const phase of phases)
      expect([kindOf(phase, feedback(1)), kindOf(phase, lgtm())]).toEqual(['accepted', 'accepted']);
  });

  it('hears an account once, and a request between its own answers', () => {
    const heard = after(feedback(1), addressed(1));
    expect([kindOf(heard, addressed(1)), kindOf(heard, request())]).toEqual(['refused', 'accepted']);
    expect(kindOf(after(feedback(1)), request())).toBe('refused');
  });

  it('is itself held to the author and the change request that the conversation is about', () => {
    const about = (rest: object): ReviewMessage => say('review_lgtm', {}, rest);
    expect(kindOf(after(feedback(1)), about({ to: 'eve' }))).toBe('refused');
    expect(kindOf(after(feedback(1)), about({ related_pr: '42' }))).toBe('refused');
  });
});
