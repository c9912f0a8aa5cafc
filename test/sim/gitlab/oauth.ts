/** Login with an account of GitLab. The person has authorised the application before, so no page asks. */
import { json, type Reply } from '../forgejo/reply.ts';
import { answerTo, fits, oauthOf } from '../shared/oauth.ts';
import { createToken } from './program-setup.ts';
import type { Scope, World } from './world.ts';

/** Errors without a known address to go back to are pages, with the status of a page that is shown. */
export const authorize = (world: World, asked: URLSearchParams): Reply => {
  const application = oauthOf(world).applications.find(({ clientId }) => clientId === asked.get('client_id'));
  const redirectUri = asked.get('redirect_uri') ?? '';
  if (application === undefined) return { status: 200, html: 'Client authentication failed' };
  if (application.redirectUri !== redirectUri) return { status: 200, html: 'The redirect URI included is not valid.' };
  return { status: 302, headers: { location: answerTo(world, asked, redirectUri) } };
};

const GRANT = 'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI';

export const redeem = (world: World, body: string): Reply => {
  // Safe cast: every field is compared with a string.
  const sent = JSON.parse(body) as Readonly<Record<string, string | undefined>>;
  const { applications, codes } = oauthOf(world);
  const application = applications.find(({ clientId }) => clientId === sent['client_id']);
  if (application?.secret !== sent['client_secret'])
    return json(401, { error: 'invalid_client', error_description: 'Client authentication failed' });
  const code = codes.get(sent['code'] ?? '');
  const isFit =
    code?.clientId === application?.clientId &&
    code?.redirectUri === sent['redirect_uri'] &&
    fits(code?.challenge ?? '', sent['code_verifier'] ?? '');
  if (code === undefined || !isFit) return json(400, { error: 'invalid_grant', error_description: GRANT });
  codes.delete(sent['code'] ?? '');
  // Safe cast: the adapter asks for scopes of GitLab only, and others open nothing.
  const token = createToken(world, code.login, code.scope.split(' ') as Scope[]);
  return json(200, { access_token: token, token_type: 'Bearer', expires_in: 7200, scope: code.scope });
};
