import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (value: string | Uint8Array): Buffer => createHash('sha256').update(value).digest();

/** Compares in constant time. Secrets are hashed first, because `timingSafeEqual` throws for different lengths. */
export const sameSecret = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
