import { describe, expect, it } from 'vitest';
import { eventId } from '../../../shared/notify/event-id.ts';
import type { NotifyEvent } from '../../../shared/notify/event.ts';
import { changeRequest, EVENTS } from './events.ts';

const { handoff, budget_used_up: budget, outage, webhook_dead: webhook, job_failed: job } = EVENTS;
const elsewhere = { ...changeRequest, number: 13 };
const otherProject = { forge: 'main', projectId: 43 };

describe('one thing that happened', () => {
  it.each<[string, NotifyEvent, NotifyEvent]>([
    ['a hand-off, posted again later', handoff, { ...handoff, atMs: 2_000 }],
    ['a hand-off, whose comment is edited for another reason', handoff, { ...handoff, reason: 'outage' }],
    [
      'the budget of a project, refused to another of its change requests',
      budget,
      { ...budget, changeRequest: elsewhere },
    ],
    ['the budget of a project, first of money, then of tokens', budget, { ...budget, budget: 'tokens', limit: 9 }],
    [
      'the budget of the day, refused to another project',
      { ...budget, scope: 'day' },
      { ...budget, scope: 'day', changeRequest: { ...changeRequest, projectId: 43 } },
    ],
    [
      'the budget of a change request, refused on the next day',
      { ...budget, scope: 'change_request' },
      { ...budget, scope: 'change_request', day: '2026-02-01' },
    ],
    ['an outage that shows another code', outage, { ...outage, atMs: 9_000, code: 'MODEL_TIMED_OUT' }],
    ['a webhook that is dead in another way', webhook, { ...webhook, health: 'missing' }],
    ['a job, told by two processes', job, { ...job, atMs: 3, code: 'JOB_TIMED_OUT', changeRequest: null }],
  ])('has one id: %s', (_what, one, other) => {
    expect(eventId(other)).toBe(eventId(one));
  });

  it.each<[string, NotifyEvent, NotifyEvent]>([
    ['another change request', handoff, { ...handoff, changeRequest: elsewhere }],
    ['the call after the next review', handoff, { ...handoff, episode: 4 }],
    ['the next day', budget, { ...budget, day: '2026-02-01' }],
    ['another project', budget, { ...budget, changeRequest: { ...changeRequest, projectId: 43 } }],
    ['a wider budget', budget, { ...budget, scope: 'day' }],
    ['a narrower budget', budget, { ...budget, scope: 'change_request' }],
    [
      'a raised limit of a change request',
      { ...budget, scope: 'change_request' },
      { ...budget, scope: 'change_request', limit: 200_000_000 },
    ],
    ['the next outage', outage, { ...outage, sinceMs: 2_000 }],
    ['an outage of something else', outage, { ...outage, what: 'disk' }],
    ['an outage of a forge', { ...outage, what: 'forge', forge: 'main' }, { ...outage, what: 'forge', forge: 'other' }],
    ['a refusal', outage, { ...outage, needsOperator: true }],
    [
      'another refusal',
      { ...outage, needsOperator: true },
      { ...outage, needsOperator: true, code: 'MODEL_UNTRUSTED' },
    ],
    ['the webhook of another project', webhook, { ...webhook, project: otherProject }],
    ['the webhook, dead again', webhook, { ...webhook, sinceMs: 600 }],
    ['another job', job, { ...job, jobId: 'plan-2' }],
    ['a job of another queue', job, { ...job, queue: 'review' }],
  ])('has an id of its own: %s', (_what, one, other) => {
    expect(eventId(other)).not.toBe(eventId(one));
  });

  it('has an id that may be signed and may name a job', () => {
    expect(Object.values(EVENTS).map(eventId)).toEqual(
      Object.values(EVENTS).map(() => expect.stringMatching(/^evt_[0-9a-f]{40}$/)),
    );
  });

  it('keeps its id from one version to the next', () => {
    expect(eventId(handoff)).toBe('evt_4319978c6ceeffbf5b4c995134bedd02a1988542');
  });
});
