import { forbidden, notFound } from './reply.ts';
import type { AccessLevel, SimRepo, SimToken, SimUser, World } from './world.ts';

const ranks: Readonly<Record<AccessLevel, number>> = { none: 0, read: 1, write: 2, admin: 3, owner: 4 };

export const ownsOrganization = (user: SimUser, owner: SimUser): boolean =>
  owner.organization?.owners.has(user.id) === true;

export const accessOf = (user: SimUser | null, repo: SimRepo): AccessLevel => {
  if (user !== null && (user.id === repo.owner.id || ownsOrganization(user, repo.owner))) return 'owner';
  if (user?.isAdmin === true) return 'admin';
  const granted = user === null ? undefined : repo.collaborators.get(user.id);
  return granted ?? (repo.private ? 'none' : 'read');
};

export const hasAccess = (user: SimUser | null, repo: SimRepo, level: AccessLevel): boolean =>
  ranks[accessOf(user, repo)] >= ranks[level];

export const requireAccess = (user: SimUser | null, repo: SimRepo, level: AccessLevel): void => {
  // Hidden repositories look like missing ones (forges.md 5.1).
  if (!hasAccess(user, repo, 'read')) throw notFound();
  if (!hasAccess(user, repo, level)) throw forbidden('user should have a permission to write to a repo');
};

export type Identity = { readonly user: SimUser; readonly token: SimToken };

const fromBasic = (world: World, encoded: string): SimToken | undefined => {
  const [name = '', password = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s);
  // Forgejo services/auth/basic.go: the token may be the password or the user name.
  return world.tokens.get(password) ?? world.tokens.get(name);
};

/** `null` without credentials, `undefined` for invalid ones. Accepts `token X`, `Bearer X` and basic authentication. */
export const identify = (world: World, header: string | undefined): Identity | null | undefined => {
  if (header === undefined || header === '') return null;
  const [scheme = '', value = ''] = header.split(' ');
  const kind = scheme.toLowerCase();
  const token = kind === 'basic' ? fromBasic(world, value) : world.tokens.get(value);
  const known = kind === 'basic' || kind === 'token' || kind === 'bearer';
  if (!known || token === undefined || token.user.deleted) return undefined;
  return { user: token.user, token };
};

export type ScopeCategory = 'repository' | 'issue' | 'user' | 'organization' | 'public';

/** Forgejo models/auth/access_token_scope.go: reading needs `read:x` or `write:x`, writing needs `write:x`. */
export const checkScope = (token: SimToken | null, category: ScopeCategory, method: string): void => {
  if (token === null || category === 'public' || token.scopes.includes('all')) return;
  const needed = method === 'GET' || method === 'HEAD' ? `read:${category}` : `write:${category}`;
  if (token.scopes.includes(needed) || token.scopes.includes(`write:${category}`)) return;
  throw forbidden(`token does not have at least one of required scope(s): [${needed}]`);
};
