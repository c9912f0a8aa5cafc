import { json } from '../forgejo/reply.ts';
import { type Call, numberParam, type Route, signedIn } from './call.ts';
import { notFound } from './errors.ts';
import { graphql } from './graphql.ts';
import { spendUser } from './rate-limits.ts';
import { userJson } from './represent.ts';
import type { World } from './world.ts';

const versionJson = (world: World) => ({ version: world.version, revision: '6714c913625' });

const self = (call: Call) => {
  const user = signedIn(call);
  return {
    ...userJson(call.world, user),
    created_at: '2026-01-01T00:00:00.000Z',
    bot: user.botOf !== null,
    is_admin: user.isAdmin,
    email: `${user.username}@noreply.localhost`,
  };
};

const userById = (call: Call) => {
  spendUser(call.world, signedIn(call));
  const user = call.world.users.find(
    (candidate) => candidate.id === numberParam(call, 'user_id') && !candidate.deleted,
  );
  if (user === undefined) throw notFound('User');
  return { ...userJson(call.world, user), bot: user.botOf !== null };
};

export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/version',
    described: '/version',
    scope: 'user',
    handle: (call) => (signedIn(call), json(200, versionJson(call.world))),
  },
  {
    method: 'GET',
    path: '/metadata',
    described: '/metadata',
    scope: 'user',
    handle: (call) => {
      signedIn(call);
      const kas = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null };
      return json(200, { ...versionJson(call.world), kas, enterprise: call.world.edition === 'ee' });
    },
  },
  { method: 'GET', path: '/user', described: '/user', scope: 'user', handle: (call) => json(200, self(call)) },
  {
    method: 'GET',
    path: '/personal_access_tokens/self',
    described: null,
    scope: 'any',
    handle: (call) => {
      const { id } = signedIn(call);
      const { scopes = [], expiresOn = null } = call.token ?? {};
      return json(200, { user_id: id, scopes, active: true, revoked: false, expires_at: expiresOn });
    },
  },
  {
    method: 'GET',
    path: '/users/{user_id}',
    described: null,
    scope: 'user',
    handle: (call) => json(200, userById(call)),
  },
  {
    method: 'POST',
    path: '/graphql',
    described: null,
    handle: async (call) => json(200, await graphql(call, 'POST')),
  },
  // GL config/routes/api.rb: `match '/api/graphql', via: [:get, :post]`.
  { method: 'GET', path: '/graphql', described: null, handle: async (call) => json(200, await graphql(call, 'GET')) },
];
