/**
 * Logins that have been sent to the forge and have not come back. Each browser keeps its own in a sealed cookie. The
 * process keeps no list of them, so many requests of strangers cannot remove anybody's login.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { jsonOrNull } from '../../../shared/json-or-null.ts';
import { sameSecret } from '../../../shared/webhooks/same-secret.ts';
import { createSealer } from './sealer.ts';

export type PendingLogin = {
  /** The secret of the code exchange (RFC 7636). */
  readonly verifier: string;
  /** The path that the browser wanted to see. */
  readonly next: string;
};

export type PendingLogins = {
  /** `sealed` is the value of the cookie. */
  readonly begin: (next: string) => PendingLogin & { readonly state: string; readonly sealed: string };
  /**
   * Null unless `sealed` was made here for this state, and not too long ago. The forge takes its code only once, so the
   * same login cannot be finished twice.
   */
  readonly take: (sealed: string, state: string) => PendingLogin | null;
};

export const LOGIN_S = 600;
/** A cookie has at most 4,096 bytes. A longer path is forgotten. */
const MAX_NEXT = 1_500;

const Kept = z.object({ state: z.string(), verifier: z.string(), next: z.string(), untilMs: z.number() });

export const createPendingLogins = (nowMs: () => number): PendingLogins => {
  const sealer = createSealer();
  return {
    begin: (wanted) => {
      const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
      const next = wanted.length > MAX_NEXT ? '/' : wanted;
      const kept: z.output<typeof Kept> = { state, verifier, next, untilMs: nowMs() + LOGIN_S * 1000 };
      return { state, verifier, next, sealed: sealer.seal(JSON.stringify(kept)) };
    },
    take: (sealed, state) => {
      const kept = Kept.safeParse(jsonOrNull(sealer.open(sealed) ?? '')).data;
      if (kept === undefined || kept.untilMs <= nowMs() || !sameSecret(state, kept.state)) return null;
      return { verifier: kept.verifier, next: kept.next };
    },
  };
};
