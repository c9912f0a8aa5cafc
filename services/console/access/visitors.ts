/** Who sends a request: the holder of a token, or a browser that has logged in with one. */
import type { FastifyRequest } from 'fastify';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type ConsoleScope, SESSION_S, type ScopeTokens, type Sessions } from '../../../shared/store/board/sessions.ts';
import { NO_SIGHT, type Sight, WHOLE_SIGHT } from './sight.ts';
import type { LoginForge } from './login-forge.ts';
import type { MemberSessions } from './member-sessions.ts';
import { LOGIN_S, type PendingLogin, type PendingLogins } from './pending-logins.ts';
import type { Attempts } from './attempts.ts';
import { csrfOf } from './csrf.ts';
import { scopeOf } from './scope-of.ts';

export type Visitor = {
  readonly scope: ConsoleScope;
  readonly sight: Sight;
  /** Null for a request with a token, which no other site can send. */
  readonly session: { readonly id: string; readonly csrf: string } | null;
};

/** The forge does not answer, so what the visitor may see is unknown. */
export type Unchecked = { readonly unchecked: Visitor };

export type Recognition = Visitor | 'unknown' | 'blocked' | Unchecked;

/** Login with an account of the forge. */
export type ForgeAccess = {
  /** Returns where the browser is sent, and the cookie that ties the answer to this browser. */
  begin(next: string): { readonly url: string; readonly cookie: string };
  /** Null unless this browser began this login. */
  take(request: FastifyRequest, state: string): PendingLogin | null;
  /** Removes the cookie of `begin`. */
  readonly forgetCookie: string;
  /** The cookie of a new session. @throws AppError */
  enter(login: { readonly code: string; readonly verifier: string }, signal: AbortSignal): Promise<string>;
  readonly isRefusal: (error: unknown) => boolean;
};

export type Access = {
  recognise(request: FastifyRequest): Promise<Recognition>;
  /** The cookie of a new session, null for a wrong token. */
  logIn(token: string, address: string): Promise<{ readonly cookie: string } | 'wrong' | 'blocked'>;
  /** Returns the cookie that removes the browser's. */
  logOut(visitor: Visitor): Promise<string>;
  /** Null if only tokens open the page. */
  readonly byForge: ForgeAccess | null;
};

export type AccessDeps = {
  readonly tokens: ScopeTokens;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  /** True if browsers use https: the cookie is then never sent over http. */
  readonly isSecure: boolean;
  /** Null if only tokens open the page. */
  readonly login: {
    readonly forge: LoginForge;
    readonly members: MemberSessions;
    readonly pending: PendingLogins;
  } | null;
};

const MAX_TOKEN = 1_000;
const BEARER = /^Bearer +([^\s]{1,1000})$/i;

/** A browser sends other schemes to every page behind a proxy that asks for a password of its own. */
export const hasToken = ({ headers: { authorization } }: FastifyRequest): boolean =>
  /^Bearer(?: |$)/i.test(authorization ?? '');

export const createAccess = ({ tokens, sessions, attempts, isSecure, login }: AccessDeps): Access => {
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
      if (hasToken(request)) {
        const found = check(BEARER.exec(request.headers.authorization ?? '')?.[1] ?? '', request.ip);
        return found === 'unknown' || found === 'blocked' ? found : { scope: found, sight: WHOLE_SIGHT, session: null };
      }
      const id = parseCookie(request.headers.cookie ?? '')[name] ?? '';
      if (!SESSION_ID.test(id)) return 'unknown';
      const session = { id, csrf: csrfOf(id) };
      const sight = (await login?.members.find(id)) ?? 'ended';
      if (sight === 'unchecked') return { unchecked: { scope: 'read', sight: NO_SIGHT, session } };
      if (sight !== 'ended') return { scope: 'read', sight, session };
      const scope = await sessions.find(id, tokens);
      return scope === null ? 'unknown' : { scope, sight: WHOLE_SIGHT, session };
    },
    logIn: async (token, address) => {
      const scope = check(token, address);
      if (scope === 'blocked') return 'blocked';
      if (scope === 'unknown') return 'wrong';
      return { cookie: cookieOf(await sessions.begin(scope, token), SESSION_S) };
    },
    logOut: async ({ session }) => {
      if (session !== null) login?.members.end(session.id);
      if (session !== null) await sessions.end(session.id);
      return cookieOf('', 0);
    },
    byForge: login === null ? null : createForgeAccess(login, { name: `${name}-login`, isSecure, cookieOf }),
  };
};

type Cookies = {
  readonly name: string;
  readonly isSecure: boolean;
  readonly cookieOf: (value: string, maxAge: number) => string;
};

const createForgeAccess = (
  { forge, members, pending }: NonNullable<AccessDeps['login']>,
  { name, isSecure, cookieOf }: Cookies,
): ForgeAccess => {
  // Lax, because the browser comes back from another site.
  const tie = (value: string, maxAge: number): string =>
    stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure });
  return {
    begin: (next) => {
      const begun = pending.begin(next);
      return { url: forge.authorizeUrl(begun), cookie: tie(begun.sealed, LOGIN_S) };
    },
    take: (request, state) => pending.take(parseCookie(request.headers.cookie ?? '')[name] ?? '', state),
    forgetCookie: tie('', 0),
    enter: async (login, signal) => cookieOf(members.begin(await forge.admit(login, signal)), SESSION_S),
    isRefusal: forge.isRefusal,
  };
};

/** 32 random bytes in base64url. */
const SESSION_ID = /^[\w-]{43}$/;
