import { hash, timingSafeEqual } from 'node:crypto';

const digest = (value: string | Uint8Array): Buffer => hash('sha256', value, 'buffer');

/** Compares in constant time. Secrets are hashed first, because `timingSafeEqual` throws for different lengths. */
export const sameSecret = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
