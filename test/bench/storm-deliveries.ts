/** What the storm is made of: events of both dialects, each sent several times under delivery ids of its own. */
import { createHmac, randomUUID } from 'node:crypto';

export type StormDelivery = {
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

export type StormSecrets = { readonly forgejo: string; readonly gitlab: string };

/** One event, ready to be sent; every call gives another delivery of it. */
export type StormEvent = { readonly deliver: () => StormDelivery };

const BODY_BYTES = 20_480;

const pad = (payload: Readonly<Record<string, unknown>>): Buffer => {
  const room = BODY_BYTES - JSON.stringify({ ...payload, description: '' }).length;
  return Buffer.from(JSON.stringify({ ...payload, description: 'x'.repeat(room) }));
};

const shaOf = (number: number): string => number.toString(16).padStart(40, '0');

const forgejoBody = (number: number, project: string): Buffer =>
  pad({
    action: 'synchronized',
    number,
    pull_request: { title: 'Count', draft: false, head: { sha: shaOf(number) } },
    repository: { id: 3, full_name: project },
    sender: { id: 11 },
  });

const gitlabBody = (number: number, project: string): Buffer =>
  pad({
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: { id: 11 },
    project: { id: 3, path_with_namespace: project },
    object_attributes: {
      iid: number,
      action: 'update',
      oldrev: shaOf(0),
      target_project_id: 3,
      updated_at: '2026-05-01 10:00:00 UTC',
      last_commit: { id: shaOf(number) },
    },
    changes: {},
  });

/** Even numbers come from Forgejo, odd ones from GitLab. The bare route knows only how Forgejo signs, so both are signed. */
export const makeStormEvent = (number: number, project: string, secrets: StormSecrets): StormEvent => {
  const isForgejo = number % 2 === 0;
  const body = isForgejo ? forgejoBody(number, project) : gitlabBody(number, project);
  const common = {
    'content-type': 'application/json',
    'x-forgejo-signature': createHmac('sha256', secrets.forgejo).update(body).digest('hex'),
  };
  return {
    deliver: () =>
      isForgejo
        ? { path: '/webhooks/sim', body, headers: { ...common, ...forgejoHeaders() } }
        : { path: '/webhooks/lab', body, headers: { ...common, ...gitlabHeaders(secrets.gitlab) } },
  };
};

const forgejoHeaders = (): Readonly<Record<string, string>> => ({
  'x-forgejo-event': 'pull_request',
  'x-forgejo-event-type': 'pull_request_sync',
  'x-forgejo-delivery': randomUUID(),
});

const gitlabHeaders = (token: string): Readonly<Record<string, string>> => ({
  'x-gitlab-event': 'Merge Request Hook',
  'x-gitlab-token': token,
  'idempotency-key': randomUUID(),
});
