import { type Call, numberParam, param, type Route, repoOf, signedIn } from './call.ts';
import { requireAccess } from './access.ts';
import { findUser } from './find.ts';
import { json, notFound } from './reply.ts';
import { repoJson, userJson } from './represent.ts';

/** `[api] MAX_RESPONSE_ITEMS` and related settings. */
const settings = (call: Call): Record<string, number> => ({
  max_response_items: call.world.maxPageSize,
  default_paging_num: 30,
  default_git_trees_per_page: 1000,
  default_max_blob_size: 10_485_760,
});

export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/version',
    category: 'public',
    handle: (call) => json(200, { version: call.world.traits.version }),
  },
  { method: 'GET', path: '/settings/api', category: 'public', handle: (call) => json(200, settings(call)) },
  {
    method: 'GET',
    path: '/user',
    category: 'user',
    handle: (call) => json(200, userJson(call.world, signedIn(call))),
  },
  {
    method: 'GET',
    path: '/users/{username}',
    category: 'user',
    handle: (call) => json(200, userJson(call.world, findUser(call.world, param(call, 'username')))),
  },
  {
    method: 'GET',
    path: '/repositories/{id}',
    category: 'repository',
    handle: (call) => {
      const repo = call.world.repos.find((candidate) => candidate.id === numberParam(call, 'id'));
      if (repo === undefined) throw notFound();
      requireAccess(call.user, repo, 'read');
      return json(200, repoJson(call.world, repo, call.user));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    category: 'repository',
    handle: (call) => json(200, repoJson(call.world, repoOf(call), call.user)),
  },
];
