import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { readPages } from '../paging.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { Hook, HookOwner, ReadsHooks } from '../port.ts';
import type { ForgejoContext } from './context.ts';

const ApiHook = z.object({
  id: z.number().int(),
  active: z.boolean(),
  config: z.object({ url: z.string().nullish() }).nullish(),
});

const readHooks = async ({ http, traits }: ForgejoContext, path: ApiPath, signal: AbortSignal) => {
  const request = { path, item: ApiHook, limit: traits.maxPageSize, keyOf: ({ id }: z.output<typeof ApiHook>) => id };
  const hooks = await readPages(http, request, signal);
  return hooks.map(
    ({ active, config }): Hook => ({ url: config?.url ?? '', state: active ? 'working' : 'off', untilMs: null }),
  );
};

/**
 * For admins of the project, and owners of the organisation. Neither forge switches a hook off by itself.
 *
 * - GET /repos/{owner}/{repo}/hooks: https://codeberg.org/api/swagger#/repository/repoListHooks
 * - GET /orgs/{org}/hooks:           https://codeberg.org/api/swagger#/organization/orgListHooks
 */
export const readsHooks = (context: ForgejoContext): ReadsHooks => ({
  fetchHooks: async (owner: HookOwner, signal) => {
    try {
      if (owner.kind === 'group') return await readHooks(context, apiPath`/api/v1/orgs/${owner.path}/hooks`, signal);
      return await context.projects.withProject(owner.project.id, signal, (project) =>
        readHooks(context, apiPath`/api/v1/repos/${project.owner.login}/${project.name}/hooks`, signal),
      );
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_FORBIDDEN', 'FORGE_UNAUTHORISED')) return null;
      // The owner is a person: there is no organisation of that name.
      if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return owner.kind === 'group' ? [] : null;
      throw error;
    }
  },
});
