import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../shared/webhooks/same-secret.ts';

/** The value that every form of a session contains. Only the browser and the server know the session's id. */
export const csrfOf = (sessionId: string): string =>
  createHmac('sha256', sessionId).update('console-form').digest('base64url');

export const isCsrfOf = (sessionId: string, given: string): boolean => sameSecret(csrfOf(sessionId), given);

/** The site from which a browser sent a form. Programs and old browsers send none, and other checks apply to them. */
export const isForeignOrigin = (origin: string | undefined, host: string | undefined): boolean => {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
};
