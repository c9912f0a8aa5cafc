import { randomBytes } from 'node:crypto';

/** Nobody who writes into a repository or a discussion can guess it. */
export const newBoundary = (): string => randomBytes(16).toString('hex');
