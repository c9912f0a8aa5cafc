import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { readPages } from '../paging.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { Hook, HookOwner, ReadsHooks } from '../port-listing.ts';
import type { ForgejoContext } from './api/context.ts';

export const ApiHook = z.object({
  id: z.number().int(),
  active: z.boolean(),
  config: z.object({ url: z.string().nullish(), content_type: z.string().nullish() }).nullish(),
  events: z.array(z.string()).nullish(),
});
export type ApiHook = z.output<typeof ApiHook>;

/** The events that the parser uses, except milestones. The forge lists each event of an event group separately. */
const HEARD = [
  'pull_request',
  'pull_request_sync',
  'pull_request_label',
  'pull_request_comment',
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
  'pull_request_review_request',
] as const;

/** Gitea since 1.24 (#33337) has one event name for all kinds of reviews, and ignores the separate names. */
const REVIEWS = 'pull_request_review';
const IN_REVIEWS: ReadonlySet<string> = new Set([
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
]);

const lacksOf = (events: readonly string[]): readonly string[] =>
  HEARD.filter((event) => !events.includes(event) && !(IN_REVIEWS.has(event) && events.includes(REVIEWS)));

export const toHook = ({ active, config, events }: ApiHook): Hook => ({
  url: config?.url ?? '',
  state: active ? 'working' : 'off',
  untilMs: null,
  lacks: lacksOf(events ?? HEARD),
  unfit: config?.content_type === 'form' ? 'it sends form data; its content type must be application/json' : null,
});

const readHooks = async ({ http, traits }: ForgejoContext, path: ApiPath, signal: AbortSignal) => {
  const request = { path, item: ApiHook, limit: traits.maxPageSize, keyOf: ({ id }: ApiHook) => id };
  return (await readPages(http, request, signal)).map(toHook);
};

/**
 * Only project admins and organisation owners may list hooks. Neither forge disables a failing hook.
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
      // 404 for a group means that the owner is a user, not an organisation.
      if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return owner.kind === 'group' ? [] : null;
      throw error;
    }
  },
});
