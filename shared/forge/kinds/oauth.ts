/** Login with an account of the forge: authorization code with PKCE (RFC 6749, RFC 7636), the same for every kind. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseBaseUrl } from '../http.ts';
import { openHttp } from '../dialect/connect-options.ts';
import type { ConnectOptions } from './connect.ts';
import { DIALECTS } from './forge-kind.ts';

export type OauthClient = Pick<ConnectOptions, 'id' | 'kind' | 'baseUrl' | 'ca' | 'proxy' | 'timeouts'> & {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
};

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Where the browser is sent. */
export const authorizeUrl = (
  { kind, baseUrl, clientId, redirectUri }: OauthClient,
  { state, verifier }: { readonly state: string; readonly verifier: string },
): string => {
  const url = parseBaseUrl(baseUrl);
  const { authorizePath, scope } = DIALECTS[kind].oauth;
  url.pathname = `${url.pathname === '/' ? '' : url.pathname}${authorizePath}`;
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
};

const ApiTokenAnswer = z.object({
  access_token: z.string().min(1).max(10_000),
  /** Missing if the token does not expire. */
  expires_in: z.number().positive().nullish(),
});

export type RedeemedToken = { readonly token: string; readonly expiresInS: number | null };

/**
 * Sent once, because a code is valid once. @throws `ForgeRequestError` or `ForgeUnknownOutcomeError`
 *
 * - POST /oauth/token:                https://docs.gitlab.com/api/oauth2/
 * - POST /login/oauth/access_token:   https://forgejo.org/docs/latest/user/oauth2-provider/
 */
export const redeemCode = async (
  client: OauthClient,
  { code, verifier }: { readonly code: string; readonly verifier: string },
  signal: AbortSignal,
): Promise<RedeemedToken> => {
  const { kind, clientId, clientSecret, redirectUri } = client;
  // The secret is in the body; named as the token, it is kept out of errors.
  const http = openHttp({ ...client, token: clientSecret }, () => ({}));
  const body = {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
  };
  const { value } = await http.write(
    { method: 'POST', path: DIALECTS[kind].oauth.tokenPath, body, schema: ApiTokenAnswer },
    signal,
  );
  if (value === null) throw new TypeError('an answer with a schema has no value');
  return { token: value.access_token, expiresInS: value.expires_in ?? null };
};
