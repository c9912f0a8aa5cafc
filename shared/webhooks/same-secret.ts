import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (value: string | Uint8Array): Buffer => createHash('sha256').update(value).digest();

/** In constant time and for any two lengths: `timingSafeEqual` alone throws when they differ. */
export const sameSecret = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
