import type { ConsoleScope, ScopeTokens } from '../../../shared/store/board/sessions.ts';
import { sameSecret } from '../../../shared/webhooks/same-secret.ts';

/** Null for a wrong token. Takes the same time for every token of one length. */
export const scopeOf = (token: string, { read, write }: ScopeTokens): ConsoleScope | null => {
  const mayRead = sameSecret(token, read);
  const mayWrite = write !== null && sameSecret(token, write);
  if (mayWrite) return 'write';
  return mayRead ? 'read' : null;
};
