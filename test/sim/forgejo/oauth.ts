/** Login with an account of the forge. The person has granted the application before, so no page asks. */
import { answerTo, fits, oauthOf } from '../shared/oauth.ts';
import { page } from './page-parts.ts';
import { createToken } from './program-setup.ts';
import { json, type Reply } from './reply.ts';
import type { RequestEntry, World } from './world.ts';

/** Errors without a known address to go back to are pages. */
export const authorize = (world: World, asked: URLSearchParams): Reply => {
  const application = oauthOf(world).applications.find(({ clientId }) => clientId === asked.get('client_id'));
  const redirectUri = asked.get('redirect_uri') ?? '';
  if (application === undefined) return { status: 400, html: page('Error', 'Client ID not registered') };
  if (application.redirectUri !== redirectUri) return { status: 400, html: page('Error', 'Unregistered Redirect URI') };
  return { status: 303, headers: { location: answerTo(world, asked, redirectUri) } };
};

const refusal = (error: string, description: string): Reply => json(400, { error, error_description: description });

export const redeem = (world: World, { body }: Pick<RequestEntry, 'body'>): Reply => {
  // Safe cast: every field is compared with a string.
  const sent = JSON.parse(body) as Readonly<Record<string, string | undefined>>;
  const { applications, codes } = oauthOf(world);
  const application = applications.find(({ clientId }) => clientId === sent['client_id']);
  if (sent['grant_type'] !== 'authorization_code')
    return refusal('unsupported_grant_type', 'Only refresh_token or authorization_code grant type is supported');
  if (application === undefined) return refusal('invalid_client', 'cannot load client');
  if (application.secret !== sent['client_secret']) return refusal('unauthorized_client', 'invalid client secret');
  if (application.redirectUri !== sent['redirect_uri'])
    return refusal('unauthorized_client', 'unexpected redirect URI');
  const code = codes.get(sent['code'] ?? '');
  if (code === undefined) return refusal('unauthorized_client', 'client is not authorized');
  if (!fits(code.challenge, sent['code_verifier'] ?? ''))
    return refusal('unauthorized_client', 'failed PKCE code challenge');
  if (code.clientId !== application.clientId) return refusal('invalid_grant', 'invalid grant');
  codes.delete(sent['code'] ?? '');
  const token = createToken(world, code.login, code.scope.split(' '));
  return json(200, { access_token: token, token_type: 'bearer', expires_in: 3600, refresh_token: 'unused' });
};
