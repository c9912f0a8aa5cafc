/**
 * GitLab authenticates with a secret in plain text or, from 19.x, with a Standard Webhooks signature.
 * https://docs.gitlab.com/user/project/integrations/webhooks/ and https://www.standardwebhooks.com
 */
import { createHmac } from 'node:crypto';
import { type DeliveryHeaders, readHeader } from '../../../webhooks/headers.ts';
import { sameSecret } from '../../../webhooks/same-secret.ts';
import { refuseDelivery, type Verification } from '../../../webhooks/verification.ts';

const TOLERANCE_MS = 300_000;
const MAX_SIGNATURES = 16;

export type GitlabSecrets = {
  /** Accepted values of `X-Gitlab-Token`. There are several during rotation. */
  readonly tokens: readonly string[];
  /** Accepted keys as `whsec_` + base64. There are several during rotation. */
  readonly signingTokens: readonly string[];
};

export type GitlabDelivery = {
  readonly headers: DeliveryHeaders;
  readonly rawBody: Uint8Array;
  readonly secrets: GitlabSecrets;
  readonly nowMs: number;
};

/** The decoded key of `whsec_…`. Returns null when the token is malformed or the key has fewer than 16 bytes. */
export const parseSigningToken = (token: string): Buffer | null => {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(token)?.[1];
  if (encoded === undefined) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 16 ? key : null;
};

export type SignedParts = { readonly id: string; readonly timestampSeconds: string; readonly rawBody: Uint8Array };

/** Returns `v1,` and the base64 of the HMAC-SHA256 over `id.timestamp.body`. */
export const signGitlab = (parts: SignedParts, key: Uint8Array): string => {
  const hmac = createHmac('sha256', key).update(`${parts.id}.${parts.timestampSeconds}.`).update(parts.rawBody);
  return `v1,${hmac.digest('base64')}`;
};

/** A wrong signature is always refused. Without a signature (older GitLab) the plain token counts, if one is configured. */
export const verifyGitlab = (delivery: GitlabDelivery): Verification => {
  const tokens = delivery.secrets.tokens.filter((token) => token.length > 0);
  const { signingTokens } = delivery.secrets;
  if (tokens.length === 0 && signingTokens.length === 0) return refuseDelivery('no_secret_configured');
  const signature = readHeader(delivery.headers, 'webhook-signature');
  if (signingTokens.length > 0 && signature !== null) return verifySignature(delivery, signature);
  return tokens.length > 0 ? verifyToken(delivery.headers, tokens) : refuseDelivery('signature_missing');
};

const verifyToken = (headers: DeliveryHeaders, tokens: readonly string[]): Verification => {
  const given = readHeader(headers, 'x-gitlab-token');
  if (given === null || given.length === 0) return refuseDelivery('token_missing');
  // Node decodes headers as Latin-1, but the secret is UTF-8.
  const bytes = Buffer.from(given, 'latin1');
  const matches = tokens.filter((token) => sameSecret(bytes, Buffer.from(token, 'utf8')));
  return matches.length > 0 ? { ok: true } : refuseDelivery('token_mismatch');
};

const verifySignature = (delivery: GitlabDelivery, signature: string): Verification => {
  const id = readHeader(delivery.headers, 'webhook-id') ?? '';
  const timestampSeconds = readHeader(delivery.headers, 'webhook-timestamp') ?? '';
  if (!/^\d{1,12}$/.test(timestampSeconds)) return refuseDelivery('timestamp_malformed');
  if (Math.abs(delivery.nowMs - Number(timestampSeconds) * 1000) > TOLERANCE_MS)
    return refuseDelivery('timestamp_outside_window');
  const given = signature.split(' ', MAX_SIGNATURES).filter((part) => part.startsWith('v1,'));
  // A dot in the id would make the signed text ambiguous.
  if (given.length === 0 || !/^[\w-]{1,128}$/.test(id)) return refuseDelivery('signature_malformed');
  const keys = delivery.secrets.signingTokens.map(parseSigningToken).filter((key) => key !== null);
  const expected = keys.map((key) => signGitlab({ id, timestampSeconds, rawBody: delivery.rawBody }, key));
  const matches = expected.filter((one) => given.filter((part) => sameSecret(part, one)).length > 0);
  return matches.length > 0 ? { ok: true } : refuseDelivery('signature_mismatch');
};
