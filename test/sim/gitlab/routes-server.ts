import { json } from '../forgejo/reply.ts';
import { z } from 'zod';
import { type Call, numberParam, type Route, sentAs, signedIn } from './call.ts';
import { GitlabRefusal, notFound } from './errors.ts';
import { requestChanges, takeBackRequest } from './approvals.ts';
import { mayRead } from './access.ts';
import { findMergeRequest, findProject } from './find.ts';
import { userJson } from './represent.ts';
import type { SimMergeRequest, World } from './world.ts';

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
  signedIn(call);
  const user = call.world.users.find(
    (candidate) => candidate.id === numberParam(call, 'user_id') && !candidate.deleted,
  );
  if (user === undefined) throw notFound('User');
  return { ...userJson(call.world, user), bot: user.botOf !== null };
};

const Mutation = z.object({
  query: z.string(),
  variables: z
    .object({ projectPath: z.string().optional(), iid: z.string().optional(), input: z.unknown().optional() })
    .optional(),
});
const Input = z.object({ projectPath: z.string(), iid: z.coerce.string() });

const literal = (query: string, name: string): string | undefined =>
  new RegExp(`${name}\\s*:\\s*"([^"]*)"`).exec(query)?.[1];

/** The second one is of EE (GL ee/app/graphql/mutations/merge_requests/destroy_requested_changes.rb). */
const mutationsOf = ({ edition }: World): readonly string[] => [
  'mergeRequestRequestChanges',
  ...(edition === 'ee' ? ['mergeRequestDestroyRequestedChanges'] : []),
];

const errorsOf = async (call: Call, name: string, mr: SimMergeRequest): Promise<readonly string[]> => {
  const user = signedIn(call);
  if (name === 'mergeRequestDestroyRequestedChanges')
    return takeBackRequest(call.world, mr, user) === 'taken back'
      ? []
      : ['User has not requested changes for this merge request'];
  return (await requestChanges(call.world, mr, user)) === 'requested' ? [] : ['Reviewer not found'];
};

/**
 * The mutations that have no REST endpoint (forges.md 3.6), with arguments as variables, as `$input`, or written out, and
 * the question which mutations there are.
 */
const graphql = async (call: Call) => {
  const sent = sentAs(call, Mutation);
  const user = signedIn(call);
  const mutations = mutationsOf(call.world);
  if (sent.query.includes('__type(name: "Mutation")'))
    return { data: { __type: { fields: mutations.map((name) => ({ name })) } } };
  const asked = mutations.find((name) => sent.query.includes(name));
  if (asked === undefined) throw new GitlabRefusal(400, { errors: [{ message: 'no such mutation is simulated' }] });
  const input = Input.safeParse(
    sent.variables?.input ?? {
      projectPath: sent.variables?.projectPath ?? literal(sent.query, 'projectPath'),
      iid: sent.variables?.iid ?? literal(sent.query, 'iid'),
    },
  );
  if (!input.success) return { errors: [{ message: 'Argument projectPath or iid is missing' }] };
  const project = findProject(call.world, input.data.projectPath);
  if (!mayRead(user, project)) throw notFound('Project');
  const errors = await errorsOf(call, asked, findMergeRequest(project, Number(input.data.iid)));
  return { data: { [asked]: { errors } } };
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
  { method: 'POST', path: '/graphql', described: null, handle: async (call) => json(200, await graphql(call)) },
];
