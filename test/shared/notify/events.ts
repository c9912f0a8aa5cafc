/** One event of each kind, for the tests of what becomes of them. */
import type { NotifyEvent } from '../../../shared/notify/event.ts';

export const changeRequest = { forge: 'main', projectId: 42, number: 12 };

export const EVENTS = {
  handoff: { kind: 'handoff', atMs: 1_000, changeRequest, reason: 'max_rounds_exceeded', episode: 3 },
  budget_used_up: {
    kind: 'budget_used_up',
    atMs: 1_000,
    scope: 'project',
    budget: 'money',
    limit: 100_000_000,
    changeRequest,
    day: '2026-01-31',
  },
  outage: {
    kind: 'outage',
    atMs: 61_000,
    what: 'model',
    code: 'MODEL_UNAVAILABLE',
    forge: null,
    needsOperator: false,
    sinceMs: 1_000,
  },
  webhook_dead: {
    kind: 'webhook_dead',
    atMs: 1_000,
    project: { forge: 'main', projectId: 42 },
    health: 'disabled',
    sinceMs: 500,
  },
  job_failed: { kind: 'job_failed', atMs: 1_000, queue: 'post', jobId: 'plan-1', code: 'UNEXPECTED', changeRequest },
} as const satisfies { readonly [Kind in NotifyEvent['kind']]: NotifyEvent & { readonly kind: Kind } };

export const ABOUT = { project: 'group/app', url: 'https://forge.example/group/app/pulls/12', number: '#12' };
