import { describe, expect, it } from 'vitest';
import { namedAnswer } from '../../../../../shared/rounds/plan/answers/named-answer.ts';
import type { PlannedReply } from '../../../../../shared/rounds/model/posting/post-plan.ts';
import { plannedReplies } from '../../../../../shared/rounds/plan/plan-threads.ts';
import * as make from '../../builders.ts';

const replyTo = (action: 'reply' | 'veto'): PlannedReply => {
  const thread = make.thread({ state: 'open' });
  const answer = { findingId: thread.id, stance: thread.stance, action, severity: null, body: 'Because.' };
  const gated = { handled: [{ thread, answer, next: { ...thread, count: 1 } }] };
  const [reply] = plannedReplies({
    facts: make.changeRequest(),
    run: make.run(),
    draft: make.draft(),
    history: make.history(),
    policy: make.policy(),
    gated,
  });
  if (reply?.marker.kind !== 'reply') throw new Error('there is no reply');
  return reply;
};

describe('an answer that shares a comment', () => {
  it('begins with a link to the thread of its finding, or with its id where there is no thread', () => {
    const reply = replyTo('reply');
    const urls = new Map([['F-001', 'http://forge.example/1']]);
    expect(namedAnswer(reply, urls)).toEqual({
      marker: reply.marker,
      text: '[**F-001**](http://forge.example/1): Because.',
    });
    expect(namedAnswer(reply, new Map()).text).toBe('**F-001**: Because.');
    expect(namedAnswer(replyTo('veto'), new Map()).text).toMatch(/^\*\*F-001\*\*: Because\./);
  });

  it('is unchanged when it resolves, because it names its finding itself', () => {
    const { marker, text } = replyTo('reply');
    if (marker.kind !== 'reply') throw new Error('there is no reply');
    const resolution = { marker: { ...marker, action: 'resolve' as const }, text };
    expect(namedAnswer(resolution, new Map())).toEqual(resolution);
  });
});
