import { inScope } from '../../shared/config/project-scope.ts';
import type { CommitDelivery, EventDelivery } from '../../shared/webhooks/event.ts';
import { type DeliveryHeaders, readForgejoDeliveryId, readGitlabDeliveryId } from '../../shared/webhooks/headers.ts';
import { parseForgejo } from '../../shared/webhooks/parse-forgejo.ts';
import { parseGitlab } from '../../shared/webhooks/parse-gitlab.ts';
import { parseJson } from '../../shared/webhooks/parse-json.ts';
import type { Verification, VerificationFailure } from '../../shared/webhooks/verification.ts';
import { verifyForgejo } from '../../shared/webhooks/verify-forgejo.ts';
import { verifyGitlab } from '../../shared/webhooks/verify-gitlab.ts';
import type { IngressForge } from './ingress-forge.ts';

export type Delivery = {
  readonly headers: DeliveryHeaders;
  /** As it came over the wire, at most as long as the body limit. */
  readonly rawBody: Uint8Array;
  /** Epoch milliseconds. */
  readonly receivedAtMs: number;
};

/** Reasons are constant: nothing of the delivery is in them. */
export type Classification =
  | { readonly kind: 'unauthenticated'; readonly reason: VerificationFailure }
  | { readonly kind: 'encoded'; readonly reason: string }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'accepted'; readonly delivery: EventDelivery; readonly deliveryId: string | null }
  | { readonly kind: 'of_commit'; readonly delivery: CommitDelivery };

/** Cheap checks first, and nothing of the body is looked at before its sender is known. */
export const classifyDelivery = (forge: IngressForge, delivery: Delivery): Classification => {
  const verification = verify(forge, delivery);
  if (!verification.ok) return { kind: 'unauthenticated', reason: verification.reason };
  const encoding = delivery.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return { kind: 'encoded', reason: 'compressed bodies are not read' };
  const json = parseJson(delivery.rawBody);
  if (!json.ok) return { kind: 'malformed', reason: json.reason };
  return judgePayload(forge, delivery.headers, json.value);
};

const verify = (forge: IngressForge, { headers, rawBody, receivedAtMs }: Delivery): Verification => {
  switch (forge.kind) {
    case 'forgejo':
    case 'gitea':
      return verifyForgejo(headers, rawBody, forge.webhookSecrets);
    case 'gitlab':
      return verifyGitlab({
        headers,
        rawBody,
        secrets: { tokens: forge.webhookSecrets, signingTokens: forge.signingTokens },
        nowMs: receivedAtMs,
      });
    default:
      return forge.kind satisfies never;
  }
};

const judgePayload = (forge: IngressForge, headers: DeliveryHeaders, body: unknown): Classification => {
  const isGitlab = forge.kind === 'gitlab';
  const parsed = isGitlab ? parseGitlab(headers, body) : parseForgejo(headers, body);
  if (parsed.kind === 'refused') return { kind: 'malformed', reason: parsed.reason };
  if (parsed.kind === 'ignored') return parsed;
  if (!inScope(forge.scope, parsed.projectPath))
    return { kind: 'ignored', reason: 'the project is not in the allow list' };
  if (parsed.kind === 'commit') return { kind: 'of_commit', delivery: parsed };
  const deliveryId = isGitlab ? readGitlabDeliveryId(headers) : readForgejoDeliveryId(headers);
  return { kind: 'accepted', delivery: parsed, deliveryId };
};
