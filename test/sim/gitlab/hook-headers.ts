import { createHmac } from 'node:crypto';

export type HookRequest = {
  readonly event: string;
  readonly instance: string;
  readonly version: string;
  /** Unchanged by a resend (forges.md 2.1). */
  readonly idempotencyKey: string;
  readonly eventUuid: string;
  /** New for every request, despite the documentation (GL app/services/web_hook_service.rb). */
  readonly requestUuid: string;
  readonly token: string;
  readonly signingToken: string;
  readonly body: string;
  readonly atMs: number;
};

/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body` with the decoded key (forges.md 2.2). */
const signatureHeaders = (request: HookRequest): Record<string, string> => {
  if (request.signingToken === '') return {};
  const key = Buffer.from(request.signingToken.replace(/^whsec_/, ''), 'base64');
  const timestamp = String(Math.floor(request.atMs / 1000));
  const signed = createHmac('sha256', key).update(`${request.idempotencyKey}.${timestamp}.${request.body}`, 'utf8');
  return {
    'webhook-id': request.idempotencyKey,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signed.digest('base64')}`,
  };
};

export const hookHeaders = (request: HookRequest): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': `GitLab/${request.version}`,
  'idempotency-key': request.idempotencyKey,
  'x-gitlab-event': request.event,
  'x-gitlab-webhook-uuid': request.requestUuid,
  'x-gitlab-instance': request.instance,
  'x-gitlab-event-uuid': request.eventUuid,
  // Line breaks are removed. Without a secret there is no such header.
  ...(request.token === '' ? {} : { 'x-gitlab-token': request.token.replaceAll(/[\r\n]/g, '') }),
  ...signatureHeaders(request),
});
