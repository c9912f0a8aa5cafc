/** Whole requests, as receivers get them. */
import { expect, test } from 'vitest';
import { composeRequest } from '../../../shared/notify/compose-request.ts';
import { messageOf } from '../../../shared/notify/message.ts';
import type { NotifyEvent } from '../../../shared/notify/event.ts';
import type { ReceiverKind } from '../../../shared/vocabulary/notify.ts';
import { ABOUT, EVENTS } from './events.ts';

const NOTHING = { project: null, url: null, number: null };

const bodyOf = (kind: ReceiverKind, event: NotifyEvent, about = ABOUT): unknown =>
  JSON.parse(composeRequest({ kind, event, about, secret: null, sentAtMs: 0 }).body);

test.each(Object.values(EVENTS).map((event) => [event.kind, event] as const))(
  'a program gets the facts of %s',
  (_kind, event) => {
    expect(bodyOf('json', event)).toMatchSnapshot();
  },
);

test('a program gets a day in which nothing can be reviewed as one of no project', () => {
  expect(bodyOf('json', { ...EVENTS.budget_used_up, scope: 'day' }, { ...ABOUT })).toMatchObject({
    data: { forge: null, projectId: null, changeRequest: null, scope: 'day' },
  });
});

test.each(['slack', 'mattermost', 'matrix'] as const)('%s gets a hand-off', (kind) => {
  expect(bodyOf(kind, EVENTS.handoff)).toMatchSnapshot();
});

test.each(['slack', 'mattermost', 'matrix'] as const)(
  '%s gets a line without a link where there is no page',
  (kind) => {
    expect(bodyOf(kind, EVENTS.outage, { ...ABOUT, url: 'javascript:alert(1)' })).toMatchSnapshot();
  },
);

test.each<NotifyEvent>([
  ...Object.values(EVENTS),
  { ...EVENTS.budget_used_up, scope: 'day' },
  { ...EVENTS.budget_used_up, scope: 'change_request', budget: 'tokens', limit: 5_000 },
  { ...EVENTS.outage, what: 'forge', forge: 'main' },
  { ...EVENTS.outage, what: 'forge', forge: 'main', needsOperator: true, code: 'FORGE_UNAUTHORISED' },
  { ...EVENTS.webhook_dead, health: 'missing' },
  { ...EVENTS.webhook_dead, health: 'unfit' },
  { ...EVENTS.webhook_dead, health: 'partial' },
  { ...EVENTS.job_failed, changeRequest: null },
])('says in plain words what happened (%#)', (event) => {
  expect([messageOf(event, ABOUT), messageOf(event, NOTHING)]).toMatchSnapshot();
});

test('only a signed request has the headers of Standard Webhooks', () => {
  const secret = ['whsec', Buffer.alloc(24, 1).toString('base64')].join('_');
  const composing = { kind: 'json', event: EVENTS.handoff, about: ABOUT, sentAtMs: 5_000 } as const;
  const plain = { 'content-type': 'application/json', 'user-agent': 'fixpoint' };
  expect(composeRequest({ ...composing, secret: null }).headers).toEqual(plain);
  expect(composeRequest({ ...composing, secret }).headers).toEqual({
    ...plain,
    'webhook-id': 'evt_4319978c6ceeffbf5b4c995134bedd02a1988542',
    'webhook-timestamp': '5',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
});

test('each try of one event has the same bytes', () => {
  const composing = { kind: 'json', event: EVENTS.job_failed, about: ABOUT, secret: null } as const;
  const [one, other] = [1_000, 9_000].map((sentAtMs) => composeRequest({ ...composing, sentAtMs }).body);
  expect(one).toBe(other);
});
