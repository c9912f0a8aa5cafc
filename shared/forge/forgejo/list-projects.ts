import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { readListPage } from '../list-page.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { ListedProject, ListsProjects, ProjectPlace } from '../port-listing.ts';
import { type ForgejoContext, pageWords } from './api/context.ts';
import { ApiRepository } from './api/schema.ts';

export const ApiListedRepository = ApiRepository.extend({
  updated_at: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .nullish(),
});
export type ApiListedRepository = z.output<typeof ApiListedRepository>;

/**
 * The list of an account also has repositories of which it may read only issues or the wiki; those are left out. Fixpoint
 * reviews nothing in a repository that is archived or has no pull requests.
 */
export const isListed = (
  place: ProjectPlace,
  { archived, has_pull_requests: hasPulls, permissions }: ApiListedRepository,
): boolean => archived !== true && hasPulls !== false && (place.kind !== 'member' || permissions?.pull === true);

const toListed = ({ id, owner, name, updated_at: updatedAt }: ApiListedRepository): ListedProject => ({
  id,
  path: `${owner.login}/${name}`,
  activeAtMs: updatedAt ?? 0,
});

/**
 * The user route also lists the repositories of an organisation and needs no extra scope.
 * - GET /users/{username}/repos: https://codeberg.org/api/swagger#/user/userListRepos
 * - GET /user/repos:             https://codeberg.org/api/swagger#/user/userCurrentListRepos
 */
const pathOf = (place: ProjectPlace): ApiPath =>
  place.kind === 'member' ? apiPath`/api/v1/user/repos` : apiPath`/api/v1/users/${place.path}/repos`;

export const listsProjects = ({ http, traits }: ForgejoContext): ListsProjects => ({
  readProjectPage: async (place, page, signal) => {
    if (place.kind === 'group' && place.path.includes('/')) return null;
    const request = { path: pathOf(place), query: {}, item: ApiListedRepository, page, tag: null };
    try {
      const listed = await readListPage(http, { ...request, words: pageWords(traits) }, signal);
      if (listed === null) return null;
      const usable = listed.items.filter((each) => isListed(place, each));
      return { projects: usable.map(toListed), last: listed.last };
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return null;
      throw error;
    }
  },
});
