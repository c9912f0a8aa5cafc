import { z } from 'zod';
import { type ListPage, readListPage } from '../../list-page.ts';
import { type ApiPath, apiPath, type Query } from '../../path.ts';
import type { ListedProject, ListsProjects } from '../../port-listing.ts';
import { type GitlabContext, PAGE_WORDS } from '../api/context.ts';
import { orNullAtPath } from '../api/or-null.ts';

const ApiListedProject = z.object({
  id: z.number().int().positive(),
  path_with_namespace: z.string(),
  last_activity_at: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .nullish(),
});
type ApiListedProject = z.output<typeof ApiListedProject>;

const toListed = (project: ApiListedProject): ListedProject => ({
  id: project.id,
  path: project.path_with_namespace,
  activeAtMs: project.last_activity_at ?? 0,
});

/** Archived projects are left out, because they accept no comments. `simple` omits fields that are not read. */
const USABLE = {
  archived: 'false',
  simple: 'true',
  with_merge_requests_enabled: 'true',
  order_by: 'last_activity_at',
  sort: 'desc',
};

/** Reporter is the lowest role that may read the code of a private project. */
const AT_LEAST_REPORTER = 20;

type List = (path: ApiPath, query: Query) => Promise<ListPage<ApiListedProject> | null>;

/**
 * - GET /projects:                https://docs.gitlab.com/api/projects/#list-all-projects
 * - GET /groups/:id/projects:     https://docs.gitlab.com/api/groups/#list-projects
 * - GET /users/:user_id/projects: https://docs.gitlab.com/api/projects/#list-user-projects
 */
export const listsProjects = ({ http }: GitlabContext): ListsProjects => ({
  readProjectPage: async (place, page, signal) => {
    const list: List = (path, query) => {
      const request = { path, query: { ...USABLE, ...query }, item: ApiListedProject, page, tag: null };
      return readListPage(http, { ...request, words: PAGE_WORDS }, signal);
    };
    const found =
      place.kind === 'member'
        ? await list(apiPath`/api/v4/projects`, { membership: 'true', min_access_level: AT_LEAST_REPORTER })
        : await listBelow(place.path, list);
    return found === null ? null : { projects: found.items.map(toListed), last: found.last };
  },
});

/** A path without a slash can also be the name of a user who owns projects. */
const listBelow = async (path: string, list: List): Promise<ListPage<ApiListedProject> | null> => {
  const below = { include_subgroups: 'true', with_shared: 'false' };
  const inGroup = await orNullAtPath(list(apiPath`/api/v4/groups/${path}/projects`, below));
  if (inGroup !== null || path.includes('/')) return inGroup;
  return orNullAtPath(list(apiPath`/api/v4/users/${path}/projects`, {}));
};
