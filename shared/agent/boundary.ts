import { randomBytes } from 'node:crypto';

/** The boundary is random, so that text in a repository or a discussion cannot contain it. */
export const newBoundary = (): string => randomBytes(16).toString('hex');
