import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../shared/webhooks/same-secret.ts';

/** The value that every form of a session contains. Only the browser and the server know the session's id. */
export const csrfOf = (sessionId: string): string =>
  createHmac('sha256', sessionId).update('console-form').digest('base64url');

export const isCsrfOf = (sessionId: string, given: string): boolean => sameSecret(csrfOf(sessionId), given);

type OwnPlaces = {
  /** The header of the request. A proxy may replace it by the address behind it. */
  readonly host: string | undefined;
  /** The URL that browsers use. Null if there is no proxy. */
  readonly publicUrl: string | null;
};

/** The site from which a browser sent a form. Programs and old browsers send none, and other checks apply to them. */
export const isForeignOrigin = (origin: string | undefined, { host, publicUrl }: OwnPlaces): boolean => {
  if (origin === undefined) return false;
  if (!URL.canParse(origin)) return true;
  const given = new URL(origin);
  return given.host !== host && (publicUrl === null || given.origin !== new URL(publicUrl).origin);
};
