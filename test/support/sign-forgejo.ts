import { createHmac } from 'node:crypto';

/** The signature in lower-case hex, as in `X-Forgejo-Signature`. */
export const signForgejo = (rawBody: Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(rawBody).digest('hex');
