import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { readListPage } from '../list-page.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { ListedProject, ListsProjects, ProjectPlace } from '../port-listing.ts';
import { type ForgejoContext, pageWords } from './context.ts';
import { ApiRepository } from './schema.ts';

const ApiListedRepository = ApiRepository.extend({
  updated_at: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .nullish(),
});
type ApiListedRepository = z.output<typeof ApiListedRepository>;

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
      const usable = listed.items.filter((each) => each.archived !== true && each.has_pull_requests !== false);
      return { projects: usable.map(toListed), last: listed.last };
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return null;
      throw error;
    }
  },
});
