import { createHmac } from 'node:crypto';
import { coarseName } from './hook-events.ts';

export type HookRequest = {
  readonly product: 'forgejo' | 'gitea';
  readonly event: string;
  readonly uuid: string;
  readonly secret: string;
  /** The JSON, even when it is sent in a form: the signature is of the JSON (forges.md 4.1). */
  readonly payload: string;
  readonly contentType: 'json' | 'form';
};

/**
 * All header families of the real forge (Forgejo services/webhook/shared/payloader.go). Without a secret, the signature
 * headers are sent empty.
 */
export const hookHeaders = (request: HookRequest): Record<string, string> => {
  const { secret, payload, event } = request;
  const sign = (algorithm: string): string =>
    secret === '' ? '' : createHmac(algorithm, secret).update(payload, 'utf8').digest('hex');
  const sha256 = sign('sha256');
  const headers: Record<string, string> = {
    'content-type': request.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    'user-agent': request.product === 'forgejo' ? 'Go-http-client/1.1' : 'Gitea-Webhook',
    'x-hub-signature': `sha1=${sign('sha1')}`,
    'x-hub-signature-256': `sha256=${sha256}`,
  };
  const families = request.product === 'forgejo' ? ['Forgejo', 'Gitea', 'Gogs', 'GitHub'] : ['Gitea', 'Gogs', 'GitHub'];
  for (const family of families) {
    headers[`x-${family.toLowerCase()}-delivery`] = request.uuid;
    headers[`x-${family.toLowerCase()}-event`] = coarseName(event);
    headers[`x-${family.toLowerCase()}-event-type`] = event;
    if (family !== 'GitHub') headers[`x-${family.toLowerCase()}-signature`] = sha256;
  }
  // Gitea services/webhook/deliver.go; Forgejo does not send it.
  if (request.product === 'gitea')
    for (const family of ['gitea', 'github']) headers[`x-${family}-hook-installation-target-type`] = 'repository';
  return headers;
};
