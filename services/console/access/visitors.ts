/** Who sends a request: the holder of a token, or a browser that has logged in with one. */
import type { FastifyRequest } from 'fastify';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type ConsoleScope, SESSION_S, type ScopeTokens, type Sessions } from '../../../shared/store/board/sessions.ts';
import { type Sight, WHOLE_SIGHT } from './sight.ts';
import type { Attempts } from './attempts.ts';
import { csrfOf } from './csrf.ts';
import { scopeOf } from './scope-of.ts';

export type Visitor = {
  readonly scope: ConsoleScope;
  readonly sight: Sight;
  /** Null for a request with a token, which no other site can send. */
  readonly session: { readonly id: string; readonly csrf: string } | null;
};

export type Recognition = Visitor | 'unknown' | 'blocked';

export type Access = {
  recognise(request: FastifyRequest): Promise<Recognition>;
  /** The cookie of a new session, null for a wrong token. */
  logIn(token: string, address: string): Promise<{ readonly cookie: string } | 'wrong' | 'blocked'>;
  /** Returns the cookie that removes the browser's. */
  logOut(visitor: Visitor): Promise<string>;
};

export type AccessDeps = {
  readonly tokens: ScopeTokens;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  /** True if browsers use https: the cookie is then never sent over http. */
  readonly isSecure: boolean;
};

const MAX_TOKEN = 1_000;
const BEARER = /^Bearer ([^\s]{1,1000})$/;

export const createAccess = ({ tokens, sessions, attempts, isSecure }: AccessDeps): Access => {
  const name = isSecure ? '__Host-fixpoint-console' : 'fixpoint-console';
  const cookieOf = (value: string, maxAge: number): string =>
    stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure });
  const check = (token: string, address: string): ConsoleScope | 'unknown' | 'blocked' => {
    if (attempts.isBlocked(address)) return 'blocked';
    const scope = token.length > MAX_TOKEN ? null : scopeOf(token, tokens);
    if (scope === null) attempts.failed(address);
    return scope ?? 'unknown';
  };
  return {
    recognise: async (request) => {
      const { authorization } = request.headers;
      if (authorization !== undefined) {
        const found = check(BEARER.exec(authorization)?.[1] ?? '', request.ip);
        return found === 'unknown' || found === 'blocked' ? found : { scope: found, sight: WHOLE_SIGHT, session: null };
      }
      const id = parseCookie(request.headers.cookie ?? '')[name] ?? '';
      const scope = SESSION_ID.test(id) ? await sessions.find(id, tokens) : null;
      return scope === null ? 'unknown' : { scope, sight: WHOLE_SIGHT, session: { id, csrf: csrfOf(id) } };
    },
    logIn: async (token, address) => {
      const scope = check(token, address);
      if (scope === 'blocked') return 'blocked';
      if (scope === 'unknown') return 'wrong';
      return { cookie: cookieOf(await sessions.begin(scope, token), SESSION_S) };
    },
    logOut: async ({ session }) => {
      if (session !== null) await sessions.end(session.id);
      return cookieOf('', 0);
    },
  };
};

/** 32 random bytes in base64url. */
const SESSION_ID = /^[\w-]{43}$/;
