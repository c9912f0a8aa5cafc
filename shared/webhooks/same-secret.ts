import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (value: string | Uint8Array): Buffer => createHash('sha256').update(value).digest();

/** Compares in constant time. Hashing first allows different lengths, for which `timingSafeEqual` throws. */
export const sameSecret = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
