/** Logins that have been sent to the forge and have not come back. Bounded in memory; each one comes back once. */
import { randomBytes } from 'node:crypto';

export type PendingLogin = {
  /** The secret of the code exchange (RFC 7636). */
  readonly verifier: string;
  /** The path that the browser wanted to see. */
  readonly next: string;
};

export type PendingLogins = {
  /** Returns the state, which the browser also keeps in a cookie. */
  readonly begin: (next: string) => PendingLogin & { readonly state: string };
  /** Null for a state that is unknown, too old or used. */
  readonly take: (state: string) => PendingLogin | null;
};

export const LOGIN_S = 600;
const MOST = 1_000;

type Kept = PendingLogin & { readonly untilMs: number };

export const createPendingLogins = (nowMs: () => number, most = MOST): PendingLogins => {
  const pending = new Map<string, Kept>();
  return {
    begin: (next) => {
      const [state, verifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
      pending.set(state, { verifier, next, untilMs: nowMs() + LOGIN_S * 1000 });
      const [oldest] = pending.keys();
      if (pending.size > most && oldest !== undefined) pending.delete(oldest);
      return { state, verifier, next };
    },
    take: (state) => {
      const found = pending.get(state);
      pending.delete(state);
      return found === undefined || found.untilMs <= nowMs() ? null : { verifier: found.verifier, next: found.next };
    },
  };
};
