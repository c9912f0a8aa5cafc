import { accessOf, hasAccess, ownsOrganization } from './access.ts';
import { type Call, param, type Route, signedIn } from './call.ts';
import { findUser } from './find.ts';
import { paged } from './paging.ts';
import { forbidden, json, notFound, type Reply } from './reply.ts';
import { hookJson, repoJson } from './represent.ts';
import type { SimRepo } from './world.ts';

/**
 * Ordered by id. Hidden repositories are removed from each page after counting, so a page may be short or empty and the
 * total too high (routers/api/v1/user/repo.go of both forges). Responses have no ETag.
 */
const shownOf = (call: Call, path: string, repos: readonly SimRepo[]): Reply => {
  const ordered = repos.toSorted((left, right) => left.id - right.id);
  const page = paged(call, path, ordered);
  // Safe cast: `paged` returns the items that it was given.
  const items = (page.json as readonly SimRepo[]).filter((repo) => hasAccess(call.user, repo, 'read'));
  return { ...page, json: items.map((repo) => repoJson(call.world, repo, call.user)) };
};

/** Organisations share the namespace of users, and this route (context.UserAssignmentAPI). */
const userRepos = (call: Call): Reply => {
  const owner = findUser(call.world, param(call, 'username'));
  const repos = call.world.repos.filter((repo) => repo.owner === owner);
  return shownOf(call, `/users/${owner.login}/repos`, repos);
};

/** Repositories owned by or shared with the account; not other public ones. */
const ownRepos = (call: Call): Reply => {
  const user = signedIn(call);
  const repos = call.world.repos.filter(
    (repo) =>
      repo.owner === user ||
      ownsOrganization(user, repo.owner) ||
      (repo.collaborators.has(user.id) && accessOf(user, repo) !== 'none'),
  );
  return shownOf(call, '/user/repos', repos);
};

/** Only for the team "Owners" (reqOrgOwnership in routers/api/v1/api.go). Not found for a user. */
const organizationHooks = (call: Call): Reply => {
  const user = signedIn(call);
  const place = findUser(call.world, param(call, 'org'));
  if (place.organization === undefined) throw notFound();
  if (!user.isAdmin && !ownsOrganization(user, place)) throw forbidden('Must be an organization owner');
  return json(200, place.organization.hooks.map(hookJson), {
    'x-total-count': String(place.organization.hooks.length),
  });
};

export const listingRoutes: readonly Route[] = [
  { method: 'GET', path: '/users/{username}/repos', category: 'user', handle: userRepos },
  { method: 'GET', path: '/user/repos', category: 'user', handle: ownRepos },
  { method: 'GET', path: '/orgs/{org}/hooks', category: 'organization', handle: organizationHooks },
];
