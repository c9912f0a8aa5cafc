import { GitlabRefusal, notFound, forbidden } from './errors.ts';
import { groupsAbove } from './paths.ts';
import type { AccessLevel, Scope, SimProject, SimToken, SimUser, World } from './world.ts';

/** The highest level in the project and all groups above it; 0 without membership. */
export const levelOf = (user: SimUser | null, project: SimProject): AccessLevel => {
  if (user === null || user.deleted) return 0;
  if (project.namespace === user) return 50;
  const own = project.members.get(user.id) ?? 0;
  return groupsAbove(project).reduce<AccessLevel>((level, group) => {
    const here = group.members.get(user.id) ?? 0;
    return here > level ? here : level;
  }, own);
};

/** Admins may do everything without being members. */
export const mayAct = (user: SimUser | null, project: SimProject, level: AccessLevel): boolean =>
  user?.isAdmin === true || levelOf(user, project) >= level;

/** Guests of a private project see neither code nor merge requests (GL doc/user/permissions.md). */
export const mayRead = (user: SimUser | null, project: SimProject): boolean =>
  project.visibility === 'public' || mayAct(user, project, 15);

export const requireRead = (user: SimUser | null, project: SimProject): void => {
  if (project.visibility !== 'public' && !mayAct(user, project, 10)) throw notFound('Project');
};

export const requireLevel = (user: SimUser | null, project: SimProject, level: AccessLevel): void => {
  requireRead(user, project);
  if (!mayAct(user, project, level)) throw forbidden();
};

export type Identity = { readonly user: SimUser; readonly token: SimToken };

const unauthorizedToken = (world: World, value: string): Identity => {
  const token = world.tokens.get(value);
  if (token === undefined || token.user.deleted) throw new GitlabRefusal(401, { message: '401 Unauthorized' });
  if (token.revoked)
    throw new GitlabRefusal(401, {
      error: 'invalid_token',
      error_description: 'Token was revoked. You have to re-authorize from the user.',
    });
  return { user: token.user, token };
};

export type Credentials = { readonly privateToken: string | undefined; readonly authorization: string | undefined };

/** `PRIVATE-TOKEN: x` equals `Authorization: Bearer x` (GL doc/api/rest/authentication.md). Null when none is sent. */
export const identify = (world: World, sent: Credentials): Identity | null => {
  if (sent.privateToken !== undefined && sent.privateToken !== '') return unauthorizedToken(world, sent.privateToken);
  const bearer = /^Bearer (.+)$/i.exec(sent.authorization ?? '');
  return bearer === null ? null : unauthorizedToken(world, bearer[1] ?? '');
};

/** `read_api` allows reading everything and writing nothing, not even comments (forges.md 3.1). */
export const checkScope = (token: SimToken | null, method: string, needed: 'api' | 'user' | 'any'): void => {
  if (token === null || needed === 'any' || token.scopes.includes('api')) return;
  const reading = method === 'GET' || method === 'HEAD';
  const enough: readonly Scope[] = needed === 'user' ? ['read_api', 'read_user'] : ['read_api'];
  if (reading && enough.some((scope) => token.scopes.includes(scope))) return;
  throw new GitlabRefusal(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: reading ? 'api read_api' : 'api',
  });
};

/** Git over HTTP accepts any user name with the token as password. Undefined for invalid credentials. */
export const identifyGit = (world: World, header: string | undefined): Identity | null | undefined => {
  if (header === undefined || header === '') return null;
  const basic = /^Basic (.+)$/i.exec(header);
  if (basic === null) return undefined;
  const [, password = ''] = Buffer.from(basic[1] ?? '', 'base64')
    .toString('utf8')
    .split(/:(.*)/s);
  const token = world.tokens.get(password);
  return token === undefined || token.revoked || token.user.deleted ? undefined : { user: token.user, token };
};
