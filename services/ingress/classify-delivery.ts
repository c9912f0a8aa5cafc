import { inScope } from '../../shared/config/projects/project-scope.ts';
import { DIALECTS } from '../../shared/forge/kinds/forge-kind.ts';
import type { CommitDelivery, EventDelivery } from '../../shared/webhooks/event.ts';
import type { DeliveryHeaders } from '../../shared/webhooks/headers.ts';
import { parseJson } from '../../shared/webhooks/parse-json.ts';
import type { VerificationFailure } from '../../shared/webhooks/verification.ts';
import type { IngressForge } from './ingress-forge.ts';

export type Delivery = {
  readonly headers: DeliveryHeaders;
  /** The body as received; not longer than the body limit. */
  readonly rawBody: Uint8Array;
  readonly receivedAtMs: number;
};

/** `reason` is always a constant sentence without data from the delivery. */
export type Classification =
  | { readonly kind: 'unauthenticated'; readonly reason: VerificationFailure }
  | { readonly kind: 'encoded'; readonly reason: string }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'accepted'; readonly delivery: EventDelivery; readonly deliveryId: string | null }
  | { readonly kind: 'of_commit'; readonly delivery: CommitDelivery };

/** The body is not parsed before its sender is authenticated. */
export const classifyDelivery = (forge: IngressForge, delivery: Delivery): Classification => {
  const { webhookSecrets, signingTokens } = forge;
  const verification = DIALECTS[forge.kind].verify({ ...delivery, webhookSecrets, signingTokens });
  if (!verification.ok) return { kind: 'unauthenticated', reason: verification.reason };
  const encoding = delivery.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return { kind: 'encoded', reason: 'compressed bodies are not accepted' };
  const json = parseJson(delivery.rawBody);
  if (!json.ok) return { kind: 'malformed', reason: json.reason };
  return judgePayload(forge, delivery.headers, json.value);
};

const judgePayload = (forge: IngressForge, headers: DeliveryHeaders, body: unknown): Classification => {
  const dialect = DIALECTS[forge.kind];
  const parsed = dialect.parse(headers, body);
  if (parsed.kind === 'refused') return { kind: 'malformed', reason: parsed.reason };
  if (parsed.kind === 'ignored') return parsed;
  if (!inScope(forge.scope, parsed.projectPath))
    return { kind: 'ignored', reason: 'the project is not in the allow list' };
  if (parsed.kind === 'commit') return { kind: 'of_commit', delivery: parsed };
  return { kind: 'accepted', delivery: parsed, deliveryId: dialect.deliveryId(headers) };
};
