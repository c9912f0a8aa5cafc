/**
 * HMAC-SHA256 over the raw body. Without a secret the forges send empty signature headers.
 * https://forgejo.org/docs/latest/user/webhooks/
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type DeliveryHeaders, readHeader } from '../../../webhooks/headers.ts';
import { refuseDelivery, type Verification } from '../../../webhooks/verification.ts';

const hmacOf = (rawBody: Uint8Array, secret: string): Buffer => createHmac('sha256', secret).update(rawBody).digest();

/** Only the first header that is present is used, even if a later header would match. */
const readSignature = (headers: DeliveryHeaders): string | null => {
  const own = readHeader(headers, 'x-forgejo-signature') ?? readHeader(headers, 'x-gitea-signature');
  if (own !== null) return own;
  const hub = readHeader(headers, 'x-hub-signature-256');
  if (hub === null) return null;
  return hub.startsWith('sha256=') ? hub.slice('sha256='.length) : 'malformed';
};

/** Accepts a signature by any of `secrets`, for rotation. Empty secrets are ignored. */
export const verifyForgejo = (
  headers: DeliveryHeaders,
  rawBody: Uint8Array,
  secrets: readonly string[],
): Verification => {
  const usable = secrets.filter((secret) => secret.length > 0);
  if (usable.length === 0) return refuseDelivery('no_secret_configured');
  const signature = readSignature(headers);
  if (signature === null || signature.length === 0) return refuseDelivery('signature_missing');
  if (!/^[0-9a-f]{64}$/.test(signature)) return refuseDelivery('signature_malformed');
  const given = Buffer.from(signature, 'hex');
  const matches = usable.filter((secret) => timingSafeEqual(given, hmacOf(rawBody, secret)));
  return matches.length > 0 ? { ok: true } : refuseDelivery('signature_mismatch');
};
