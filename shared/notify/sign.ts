/**
 * The headers of Standard Webhooks 1.0.0, with its symmetric signature:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac } from 'node:crypto';

export type Signing = {
  /** The id is the same in every attempt, so that the receiver can drop duplicates. */
  readonly id: string;
  /** Time of this attempt. */
  readonly sentAtMs: number;
  /** The bytes that are sent, as text. */
  readonly body: string;
  /** The secret: `whsec_` and base64. See `checkSigningToken`. */
  readonly secret: string;
};

export const signedHeaders = ({ id, sentAtMs, body, secret }: Signing): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(sentAtMs / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
};
