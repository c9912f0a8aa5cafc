import { randomBytes } from 'node:crypto';

/** The boundary is random, so nobody who writes into a repository or a discussion can guess it. */
export const newBoundary = (): string => randomBytes(16).toString('hex');
